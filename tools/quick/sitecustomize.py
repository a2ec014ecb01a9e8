"""Leave out what takes every Python process of the tests seconds and serves none.

jsonschema, which all notebook tools load, builds 38 grammars for international
addresses when it is loaded. Without this package it does without.
"""

import sys

sys.modules["rfc3987_syntax"] = None
