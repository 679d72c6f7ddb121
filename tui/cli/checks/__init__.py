"""What ``jobdeck doctor`` looks at, a module a subject; each check says how to mend what is wrong."""
