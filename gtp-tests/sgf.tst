# Loading games. The file has setup stones, a comment with brackets, and a variation.

loadsgf games/setup.sgf
10 reg_genmove b
#? [[A-E][1-5]]
# A5 has a setup stone, C3 the first move.
20 play w A5
#? [.*]*
30 play w C3
#? [.*]*
# Up to, not including, the second move.
loadsgf games/setup.sgf 2
40 play b D2
#? []
loadsgf games/setup.sgf 1
50 play b C3
#? []
60 loadsgf games/missing.sgf
#? [.*]*
70 loadsgf games/illegal.sgf
#? [.*]*
# A failed load changes nothing.
80 play w C3
#? [.*]*
