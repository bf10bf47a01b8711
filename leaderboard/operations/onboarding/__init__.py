"""From nothing to the board: test an address, choose models, see what will change, price, probe, publish."""
