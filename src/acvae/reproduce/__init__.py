"""The paper's tables and figure, measured again: a grid of runs, each stored as soon as it is done.

`spec` says what a run is, `config` reads which runs a table needs, `execute` does one, `pool` spreads them
over processes, `store` keeps the results, and `selection`, `tables` and `figure` show them.
"""
