"""User code run in exact balls: the same statements, with every rounding taken out.

Literals become exact decimals, divisions of integers exact quotients, and `np` and `math` proxies whose functions
either work on balls or refuse loudly. What cannot run so is never passed off as certified.
"""
