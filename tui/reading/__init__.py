"""What a person does with a pane's text: select it, search it, mark lines; without widgets."""
