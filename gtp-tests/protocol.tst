# Protocol commands.

10 protocol_version
#? [2]
20 name
#? [Tengen]
30 version
#? [[0-9]+\.[0-9]+\.[0-9]+]
40 known_command genmove
#? [true]
50 known_command nonsense
#? [false]
60 list_commands
#? [protocol_version(.|\n)*]
62 help
#? [A game: play b E5(.|\n)*genmove COLOUR +choose and play a move(.|\n)*]
65 tengen-report
#? [visits 0 playouts 0]
70 cputime
#? [[0-9]+\.[0-9]+]
80 nonsense
#? [.*]*
# Komi is accepted at any time, in every game.
90 komi 6.5
#? []
boardsize 9
100 komi 0
#? []
