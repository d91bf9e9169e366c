"""The same numbers sooner: nothing here adds to the formula, and a reader of `attention.py` can pass it by.

`few_tokens` leaves out calls where calls cost more than arithmetic. `tiles`, `threads` and `memory` serve
large inputs. `tests/test_fast.py` holds every way to the same numbers.
"""
