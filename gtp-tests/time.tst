# Every time system is accepted, and genmove answers under each, also with no time left.

boardsize 5
10 time_settings 900 0 0
#? []
20 time_left b 12.5 0
#? []
30 genmove b
#? [[A-E][1-5]]
40 time_left b -3 0
#? []
50 genmove b
#? [[A-E][1-5]]
60 time_settings 0 0 0
#? []
70 genmove w
#? [[A-E][1-5]]
80 time_settings 0 10 5
#? []
90 time_left w 0.2 1
#? []
100 genmove w
#? [[A-E][1-5]]
110 time_settings 0 1 0
#? []
120 kgs-time_settings byoyomi 0 1 3
#? []
130 genmove b
#? [[A-E][1-5]]
140 kgs-time_settings none
#? []
141 kata-list_time_settings
#? [none absolute byoyomi canadian fischer fischer-capped]
142 kata-time_settings fischer 0.3 0.05
#? []
143 genmove b
#? [[A-E][1-5]]
144 kata-time_settings fischer-capped 0.3 0.05 -1 0.1
#? []
145 genmove w
#? [[A-E][1-5]]
146 tengen-clock
#? [black: 0\.\d\d s, lag 0\.\d.*white: .* s, lag .*ply 1 black: .*ply 6 white: allotted .*]
147 kata-time_settings fischer 10
#? [.*]*
148 undo
#? []
149 undo
#? []
150 kgs-time_settings fischer 1 1
#? [.*]*
160 time_settings 5
#? [.*]*
