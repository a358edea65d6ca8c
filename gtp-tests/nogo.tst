# NoGo: no capture, no suicide, no pass; a player without a legal move has lost.

boardsize 9
clear_board
10 play b pass
#? [.*]*
# The corner: White at A1 would have no liberty.
play b A2
play b B1
20 play w A1
#? [.*]*
30 play b A1
#? []
undo
# A white stone at B2 with one liberty left must not be captured.
play w B2
play b B3
40 play b C2
#? [.*]*
50 final_score
#? [.*]*
# On a board of two points Black plays one and White has no move.
rectangular_boardsize 2 1
60 genmove b
#? [A1|B1]
70 genmove w
#? [resign]
80 final_score
#? [B\+R]
# On a board of one point there is no legal move.
boardsize 1
90 genmove b
#? [resign]
100 final_score
#? [W\+R]
# Board sizes.
110 boardsize 13
#? []
120 rectangular_boardsize 13 2
#? []
130 boardsize 19
#? [.*]*
140 boardsize 0
#? [.*]*
150 play b N2
#? []
