"""The pure heart: cards, contracts, the solver and the judge. No I/O, no clock, no randomness."""
