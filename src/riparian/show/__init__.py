"""Pictures and texts about models and results: terminal, report, notebook, plots."""
