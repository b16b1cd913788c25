"""Wait for something on a page, which the page's own policy does not let the driver's way do.

The driver looks again by `eval` inside the page once the first look has failed, and the policy refuses that.
"""

import time


def wait_until(page, expression, arg=None, seconds=30):
    """Until a JavaScript expression, or a function of `arg`, is true on the page."""
    deadline = time.monotonic() + seconds
    while not page.evaluate(expression, arg):
        assert time.monotonic() < deadline, f"{expression} was not true within {seconds} s"
        page.wait_for_timeout(20)
