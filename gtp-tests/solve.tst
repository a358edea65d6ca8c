# Published exact results: 3x3 is a win for the first player, 3x4 for the second.

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
# No time to solve anything.
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
