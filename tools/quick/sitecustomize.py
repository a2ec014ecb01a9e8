"""Leave out what takes every Python process of the tests long and serves none.

jsonschema, which all notebook tools load, builds 38 grammars for international
addresses when it is loaded: seconds. A kernel loads a debugger, a fifth of its start.
Without these packages they do without.
"""

import sys

for unused in ("rfc3987_syntax", "debugpy"):
    sys.modules[unused] = None
