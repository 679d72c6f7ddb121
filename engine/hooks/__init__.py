"""Commands of the configuration that are run when a job ends or a watch hits: ``on_exit`` and ``on_hit``."""
