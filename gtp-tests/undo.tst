# Undo, and setup by playing one colour twice.

boardsize 9
clear_board
10 undo
#? [.*]*
play b C3
play b D4
play w E5
20 play w D4
#? [.*]*
undo
30 play w E5
#? []
undo
undo
40 play w D4
#? []
undo
undo
50 undo
#? [.*]*
# A generated move can be undone like any other.
genmove b
undo
60 undo
#? [.*]*
