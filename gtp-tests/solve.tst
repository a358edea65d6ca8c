# Exact results, as published: 3x3 is won by the first player, 3x4 by the second player.

boardsize 3
10 tengen-solve
#? [winner black nodes [0-9]+ seconds [0-9.]+ line( [A-C][1-3]){3,8}]
20 tengen-solve white
#? [winner white .*]
rectangular_boardsize 4 3
30 tengen-solve
#? [winner white .*]
40 tengen-solve black 30
#? [winner white .*]
# No time to find anything out.
boardsize 9
50 tengen-solve 0
#? [winner unknown nodes [0-9]+ seconds [0-9.]+ line]
60 tengen-solve green
#? [.*]*
70 tengen-solve black soon
#? [.*]*
# A finished game.
rectangular_boardsize 2 1
play b A1
80 tengen-solve
#? [winner black .*]
