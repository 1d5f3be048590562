"""The same, otherwise."""


def sums_first(k):
    best = 0
    for number, ticket in enumerate(k):
        if ticket > k[best]:
            best = number
    return best
