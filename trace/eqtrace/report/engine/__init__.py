"""Worked examples made live: steps as data for the page's arithmetic, and one entry of each written out."""
