// The texts of the page in English and Chinese. The browser's language is the default.
import { recall, remember } from "./dom.js";

const WORDS = {
  en: {
    new: "New game", open: "Open", save: "Save", language: "中文", keys: "Keys and help",
    first: "To the start (Home)", back: "Back (←)", next: "On (→)", last: "To the end (End)", slider: "Move",
    engineMove: "Engine move", moveNow: "Move now", analyse: "Analyse", pass: "Pass", undo: "Undo", count: "Count", resign: "Resign",
    engineMoveTip: "The engine moves for the side to move (space)", analyseTip: "Analyse what is shown (A)", passTip: "Pass (P)", undoTip: "Take back (U)",
    countTip: "Score and dead stones as they stand", resignTip: "Give up the game", dropHere: "Drop the game here",
    candidates: "Candidates", policy: "Policy", territory: "Territory", legal: "Legal moves", numbers: "Move numbers", none: "Plain board", show: "Show",
    book: "Book", notInBook: "The book of openings does not have this position.", bookMove: "Play this move; the book goes on after it", bookEnds: "Play this move; the book ends here",
    analysis: "Analysis", moves: "Moves", review: "Review", visits: "visits", visitCount: "Visits",
    black: "Black", white: "White", human: "Human", engine: "Tengen",
    toMove: "{side} to move", thinks: "{name} is thinking …", ponders: "Tengen thinks along", waiting: "No game has begun yet.", watching: "Tengen: watch",
    plan: "{spent} s of {planned} planned, at most {most}, {hard} in every case", counting: "Counting …",
    wins: "wins", loses: "loses", draws: "draw", proven: "proven: {side} wins", provenDraw: "proven: draw",
    won: "{side} wins", byResign: "by resignation", byTime: "on time", byPoints: "by {points}", draw: "Draw", record: "as the record says",
    noMove: "{side} has no legal move", five: "five in a row", captured: "captured {n}", byCount: "counted; points that are not settled are a guess", certain: "counted",
    disagree: "Not so? Play on: a stone takes the game up again.",
    legalCount: "may play: Black {b}, White {w}", move: "Move", winrate: "Win rate", lead: "Lead", line: "Line", prior: "Policy",
    noAnalysis: "Press A to analyse this position.", notSearched: "This position was not searched.", finished: "The game is over here.", speed: "{n} visits/s", playLine: "Play this line as a variation",
    noCurve: "The win rate appears here as positions are searched.", graph: "Black's win rate over the game, and its lead in points; a click goes to the move",
    comment: "Remark on this position", deleteNode: "Delete from here", promote: "Make main line",
    startReview: "Review the game", saveReview: "Save with comments", saveReviewTip: "The line as SGF, with the judgement of each move and better lines as variations", stopReview: "Stop", reviewing: "Searching position {done} of {all} …", noReview: "Searches every position of the game from its end, and lists what each move has cost.",
    accuracy: "Accuracy", averageLoss: "Average loss", firstChoice: "First choices", inaccuracy: "inaccuracy", mistake: "mistake", blunder: "blunder", thrown_away: "thrown away",
    inaccuracies: "Inaccuracies", mistakes: "Mistakes", blunders: "Blunders", thrownAway: "Wins thrown away", played: "Played", loss: "Loss", better: "Better", noMistakes: "No inaccuracies, mistakes or blunders.",
    opening: "Opening", middle: "Middle game", ending: "Ending", phase: "Loss by phase",
    game: "Game", board: "Board", rules: "Rules", usual: "usual", komi: "Komi", byRules: "by the rules", byHandicap: "0.5 (handicap)", names: "Names", field_black: "Black's name", field_white: "White's name", changePlayers: "Players", handicap: "Handicap stones", clock: "Clock", noClock: "none", level: "Tengen's moves",
    byClock: "by the clock, up to 10 s", seconds: "seconds", visitsOf: "visits", strength: "weaker", strengthOf: "of 12, from beginner to full strength", players: "Players", humanBlack: "You play Black", humanWhite: "You play White", both: "You play both", engines: "Tengen plays both",
    start: "Start", cancel: "Cancel", close: "Close", byoyomi: "Byoyomi", fischer: "Fischer", absolute: "Sudden death", periods: "periods", minutes: "min",
    lost: "No connection to tengen: is it still running? Each run prints an address of its own: open the new one.", full: "No more than {n} pages can be open: close one of them.", tooLarge: "a game has at most {n} MiB", saved: "Saved as {name}",
    helpTitle: "Keys", kWalk: "back and on", kEnds: "to the start and the end", kSpace: "Tengen moves (or moves now)", kA: "analyse, or stop", kP: "pass", kU: "take back", kN: "next and previous mistake of a review", kL: "next layer of marks", kEsc: "leave a line that is shown",
    helpText: "Drop or paste SGF files anywhere to open them; several become a file with several games. A move in an earlier position begins a variation. While no page is open nothing is searched.",
    helpTouch: "On a touch screen with a large board the first touch chooses a point and a second one plays there.", aimed: "{at}: touch it again to play", dead: "dead", closed: "closed to both", onlyFor: "only for {side}", timeLeft: "{side}: {n} seconds left.", reviewed: "The review is done. Mistakes: {n}.",
    takeBack: "Undo step", takeBackTip: "Take back the last change of the game (Ctrl+Z)", doAgain: "Redo", doAgainTip: "Do again what was taken back (Ctrl+Y)", sound: "Sound of the stones", hint: "Hint", hintTip: "Shows a good move (H)", hintIs: "Hint: {at}", evaluation: "Evaluation", evaluationTip: "Show what Tengen thinks of the position while you play", rematch: "Rematch", rematchTip: "The same game with colours swapped",
    opened: "{name} is open", begun: "A new game has begun", pasted: "The pasted game", back_again: "Connected again", step_replaced: "Back to the game before", step_added: "Remove the position that was set up", step_removed: "Put the deleted moves back", step_promoted: "Back to the main line before", step_commented: "Back to the remark before", step_marked: "Back to the marks before",
    boardOf: "Board: {game}, {size}.", lastMove: "last move", empty: "empty", forbidden: "forbidden", typedHint: "D4 …", typedLabel: "Type a move, such as D4, and press Enter", noPoint: "There is no point {text} on this board", playing: "Game and controls", games: "Games",
    mark_triangle: "triangle", mark_square: "square", mark_circle: "circle", mark_cross: "cross", mark_selected: "selected", mark_dim: "dimmed", mark_black: "Black's point", mark_white: "White's point", mark_line: "line", mark_arrow: "arrow", mark_label: "letter", marks: "Marks",
    levelOf: "level {n}", fullStrength: "full strength", noEvaluation: "No evaluation", isHidden: "Hidden while you play. Press Evaluation, or Analyse, to see it.", estimate: "Estimate", areaOf: "{stones} stones, {empty} points around", territoryOf: "{empty} points, {prisoners} prisoners", deadTip: "A click on a stone: dead or alive.",
    edit: "Set up a position", erase: "Remove", editDone: "Done", variations: "Variations:", setUp: "position", gameBefore: "Previous game of the file", gameAfter: "Next game of the file", gameOf: "of {n} games", info_event: "Event", info_round: "Round", info_place: "Place", info_date: "Date", info_result: "Result", info_name: "Game", info_source: "Source", info_annotator: "Comments by", info_text: "About the game",
    points: "Points", pointsLost: "Points lost a move", kind: "Kind", points_lost: "points lost", reviewedFrom: "Reviewed from move {n} on; the search was stopped.",
    accuracyIs: "Accuracy falls with the win rate that a move gives up: 100% for none, 64% for 10 percent, 40% for 20 (lichess's curve). Moves without a choice and moves in a proven loss do not count.",
    sentencePlayed: "Move {n}, {side} {at}:", sentenceThrown: "throws a proven win away.", sentenceLost: "is a proven loss.", sentenceCost: "loses {loss} of the games.", sentenceCostBoth: "loses {loss} of the games and {points} points.", sentenceCostPoints: "loses {points} points.", sentenceTurns: "The game turns here.", sentenceAnswer: "The answer is {at}.", sentenceBetter: "Better was {at}{line}.",
    learn: "Learn from mistakes:", learnOwn: "my moves", learnBoth: "both", lesson: "Mistake {n} of {all}.", findBetter: "{side} to move at move {move}: find a better move than the one that was played.", judging: "Your move is being judged …",
    verdict_best: "the best move", verdict_good: "as good as the best", verdict_better: "better than what was played, but there is more", verdict_played: "that was played in the game", verdict_no: "no better than what was played", answerIs: "The answer would be", showAnswer: "Show the answer", nextLesson: "Next mistake", endLesson: "End", previousLesson: "Previous", backToLesson: "Back to the question", stopLesson: "Stop", solvedSoFar: "{n} found so far.",
    twoSeconds: "2 s a move", field_komi: "Komi", field_main: "Minutes", field_more: "Seconds a move more", field_period: "Seconds a period", field_periods: "Periods", field_seconds: "Seconds", field_visits: "Visits", field_strength: "Level",
    wrongKomi: "Komi is a multiple of half a point, up to {n} points on this board.", wrongMain: "Give each side some minutes: with none the first move would already be late.", wrongPeriods: "Byoyomi needs at least one period of at least a second.", wrongMore: "The time that a move adds is a number of seconds, not negative.", wrongVisits: "Give at least one visit.", wrongSeconds: "Give Tengen some time for a move.", wrongLevel: "Levels go from 1 to 12.",
    kVariations: "previous and next variation of a move", kH: "hint", kZ: "undo the last change (new game, deleting, main line, remark)", kY: "do it again", kB: "to the board: arrows move a cursor, Enter plays", kM: "type a move",
    undoStep: "Undo", noMistake: "On a closer look {at}, which was played, is as good as the best move.",
    picture: "Save a picture", keptGame: "Your last game is kept.", takeUp: "Take it up",
    nogo: "NoGo", go: "Go", gomoku: "Gomoku",
    comma: ", ", gap: " ", pair: "{a}: {b}", aside: "{a} ({b})", ended: "{a}.",
  },
  zh: {
    new: "新对局", open: "打开", save: "保存", language: "English", keys: "按键与帮助",
    first: "到开头（Home）", back: "后退（←）", next: "前进（→）", last: "到结尾（End）", slider: "手数",
    engineMove: "引擎落子", moveNow: "立即落子", analyse: "分析", pass: "停一手", undo: "悔棋", count: "点目", resign: "认输",
    engineMoveTip: "由引擎走下一手（空格）", analyseTip: "分析当前局面（A）", passTip: "停一手（P）", undoTip: "悔棋（U）",
    countTip: "当前的得分与死子", resignTip: "认输", dropHere: "把棋谱拖到这里",
    candidates: "候选点", policy: "策略", territory: "地域", legal: "合法点", numbers: "手数", none: "不标记", show: "显示",
    book: "开局库", notInBook: "开局库中没有此局面。", bookMove: "走这一手；此后开局库仍有内容", bookEnds: "走这一手；开局库到此为止",
    analysis: "分析", moves: "棋谱", review: "复盘", visits: "次搜索", visitCount: "次数",
    black: "黑方", white: "白方", human: "人类", engine: "Tengen",
    toMove: "轮到{side}", thinks: "{name} 思考中……", ponders: "Tengen 后台思考中", waiting: "对局尚未开始。", watching: "Tengen：观战",
    plan: "已用 {spent} 秒；计划 {planned} 秒，最多 {most} 秒，绝对上限 {hard} 秒", counting: "正在点目……",
    wins: "胜", loses: "负", draws: "和", proven: "已证明：{side}胜", provenDraw: "已证明：和棋",
    won: "{side}胜", byResign: "对方认输", byTime: "对方超时", byPoints: "{points} 目", draw: "和棋", record: "棋谱所记",
    noMove: "{side}无合法着手", five: "五子连珠", captured: "提子 {n}", byCount: "点目结果；未定之处为估计", certain: "点目结果",
    disagree: "不同意？继续落子即可恢复对局。",
    legalCount: "可落子：黑 {b}，白 {w}", move: "着手", winrate: "胜率", lead: "目差", line: "变化", prior: "策略",
    noAnalysis: "按 A 分析此局面。", notSearched: "此局面未搜索。", finished: "此处对局已结束。", speed: "每秒 {n} 次", playLine: "作为变化摆在棋盘上",
    noCurve: "搜索过的局面的胜率将显示在这里。", graph: "全局黑方胜率与目差；点击跳到该手",
    comment: "此局面的注释", deleteNode: "删除此后着手", promote: "设为主线",
    startReview: "复盘整局", saveReview: "保存注释棋谱", saveReviewTip: "保存为 SGF：每手的评价写入注释，更好的下法作为变化", stopReview: "停止", reviewing: "正在搜索第 {done} / {all} 个局面……", noReview: "从终局起逐一搜索每个局面，列出每手棋的损失。",
    accuracy: "准确率", averageLoss: "平均损失", firstChoice: "首选率", inaccuracy: "小失误", mistake: "失误", blunder: "大恶手", thrown_away: "葬送胜局",
    inaccuracies: "小失误", mistakes: "失误", blunders: "大恶手", thrownAway: "葬送的胜局", played: "实战", loss: "损失", better: "更好", noMistakes: "没有失误。",
    opening: "布局", middle: "中盘", ending: "收官", phase: "各阶段损失",
    game: "棋种", board: "棋盘", rules: "规则", usual: "默认", komi: "贴目", byRules: "按规则", byHandicap: "0.5（让子）", names: "姓名", field_black: "黑方姓名", field_white: "白方姓名", changePlayers: "更换对局者", handicap: "让子", clock: "棋钟", noClock: "无", level: "Tengen 的着手",
    byClock: "按棋钟，最多 10 秒", seconds: "秒", visitsOf: "次搜索", strength: "较弱", strengthOf: "级（共 12 级，1 为初学，12 为最强）", players: "对局者", humanBlack: "你执黑", humanWhite: "你执白", both: "双方都由你走", engines: "Tengen 自我对局",
    start: "开始", cancel: "取消", close: "关闭", byoyomi: "读秒", fischer: "加秒", absolute: "包干", periods: "次", minutes: "分",
    lost: "与 tengen 的连接已断开：程序还在运行吗？每次启动的地址不同：请打开新的地址。", full: "最多可打开 {n} 个页面：请关闭其中一个。", tooLarge: "棋谱不得超过 {n} MiB", saved: "已保存为 {name}",
    helpTitle: "按键", kWalk: "后退与前进", kEnds: "开头与结尾", kSpace: "Tengen 落子（或立即落子）", kA: "分析或停止", kP: "停一手", kU: "悔棋", kN: "复盘的下一个、上一个失误", kL: "切换标记", kEsc: "退出变化显示",
    helpText: "把 SGF 文件拖到页面任意处或直接粘贴即可打开；多个文件成为含多局的棋谱。在较早局面落子即产生变化。没有页面打开时不做任何搜索。",
    helpTouch: "在触摸屏的大棋盘上，第一次触摸选点，再次触摸落子。", aimed: "{at}：再触摸一次落子", dead: "死子", closed: "双方都不能下", onlyFor: "只有{side}可下", timeLeft: "{side}还剩 {n} 秒。", reviewed: "复盘完成。失误：{n}。",
    takeBack: "撤销", takeBackTip: "撤销上一次改动（Ctrl+Z）", doAgain: "重做", doAgainTip: "重做撤销的改动（Ctrl+Y）", sound: "落子声", hint: "提示", hintTip: "显示一步好棋（H）", hintIs: "提示：{at}", evaluation: "形势", evaluationTip: "对局中显示 Tengen 的判断", rematch: "再来一局", rematchTip: "同样的对局，双方换色",
    opened: "已打开 {name}", begun: "新对局已开始", pasted: "粘贴的棋谱", back_again: "连接已恢复", step_replaced: "回到之前的对局", step_added: "移除摆好的局面", step_removed: "恢复删除的着手", step_promoted: "恢复原来的主线", step_commented: "恢复原来的注释", step_marked: "恢复原来的标记",
    boardOf: "棋盘：{game}，{size}。", lastMove: "最后一手", empty: "空", forbidden: "禁手", typedHint: "D4 …", typedLabel: "输入着手，如 D4，然后按回车", noPoint: "棋盘上没有 {text} 这一点", playing: "对局与操作", games: "对局",
    mark_triangle: "三角", mark_square: "方块", mark_circle: "圆圈", mark_cross: "叉", mark_selected: "选中", mark_dim: "变暗", mark_black: "黑方的点", mark_white: "白方的点", mark_line: "线", mark_arrow: "箭头", mark_label: "字母", marks: "标记",
    levelOf: "{n} 级", fullStrength: "最强", noEvaluation: "暂无形势判断", isHidden: "对局中已隐藏。按“形势”或“分析”查看。", estimate: "估计", areaOf: "子 {stones}，空 {empty}", territoryOf: "目 {empty}，提子 {prisoners}", deadTip: "点击棋子：切换死活。",
    edit: "摆子", erase: "移除", editDone: "完成", variations: "变化：", setUp: "摆子局面", gameBefore: "文件中的上一局", gameAfter: "文件中的下一局", gameOf: "共 {n} 局", info_event: "赛事", info_round: "轮次", info_place: "地点", info_date: "日期", info_result: "结果", info_name: "棋局", info_source: "来源", info_annotator: "讲解", info_text: "说明",
    points: "目数", pointsLost: "每手损失目数", kind: "类别", points_lost: "损目", reviewedFrom: "已停止：从第 {n} 手起复盘。",
    accuracyIs: "准确率随一手棋放弃的胜率下降：不损失为 100%，损失 10% 为 64%，20% 为 40%（lichess 的曲线）。别无选择的着手与已证明必败时的着手不计。",
    sentencePlayed: "第 {n} 手，{side} {at}：", sentenceThrown: "葬送了已证明的胜局。", sentenceLost: "已证明必败。", sentenceCost: "胜率损失 {loss}。", sentenceCostBoth: "胜率损失 {loss}，损 {points} 目。", sentenceCostPoints: "损 {points} 目。", sentenceTurns: "局势由此逆转。", sentenceAnswer: "对方应 {at}。", sentenceBetter: "应下 {at}{line}。",
    learn: "从失误中学习：", learnOwn: "我的着手", learnBoth: "双方", lesson: "失误 {n} / {all}。", findBetter: "第 {move} 手，轮到{side}：找出比实战更好的一手。", judging: "正在评判……",
    verdict_best: "最佳着手", verdict_good: "与最佳一样好", verdict_better: "比实战好，但还有更好的", verdict_played: "这就是实战的着手", verdict_no: "不比实战好", answerIs: "对方会应", showAnswer: "看答案", nextLesson: "下一个失误", endLesson: "结束", previousLesson: "上一个", backToLesson: "回到题目", stopLesson: "停止", solvedSoFar: "已找到 {n} 个。",
    twoSeconds: "每手 2 秒", field_komi: "贴目", field_main: "分钟", field_more: "每手加秒", field_period: "每次读秒秒数", field_periods: "读秒次数", field_seconds: "秒", field_visits: "搜索次数", field_strength: "级别",
    wrongKomi: "贴目是半目的倍数，此棋盘最多 {n} 目。", wrongMain: "请给双方一些时间：否则第一手就已超时。", wrongPeriods: "读秒至少一次，每次至少一秒。", wrongMore: "每手所加时间不能为负。", wrongVisits: "至少一次搜索。", wrongSeconds: "请给 Tengen 一些时间。", wrongLevel: "级别从 1 到 12。",
    kVariations: "上一个与下一个变化", kH: "提示", kZ: "撤销上一次改动（新对局、删除、主线、注释）", kY: "重做", kB: "到棋盘：方向键移动光标，回车落子", kM: "输入着手",
    undoStep: "撤销", noMistake: "仔细再看，实战的 {at} 与最佳着手一样好。",
    picture: "保存图片", keptGame: "上一局已保留。", takeUp: "继续上一局",
    nogo: "不围棋", go: "围棋", gomoku: "五子棋",
    comma: "，", gap: "", pair: "{a}：{b}", aside: "{a}（{b}）", ended: "{a}。",
  },
};

// The program's messages in Chinese; other texts are unchanged.
const REFUSALS = [
  [/the point is occupied/, "此处已有棋子"], [/suicide/, "禁止自杀"], [/it would capture/, "不围棋禁止吃子"], [/superko/, "禁止全局同形"], [/: ko$/, "打劫，不能立即回提"],
  [/forbidden/, "黑方禁手"], [/take the last move back/, "对局已结束：悔棋后可继续"], [/game is over/, "对局已结束"], [/no pass/, "此棋种不能停手"], [/board has changed/, "棋盘已变化"], [/another game is on the board/, "棋盘上已是另一局，注释未写入"], [/time is up/, "时间已到"],
  [/Tengen is choosing/, "Tengen 正在思考"], [/no move to take back/, "没有可悔的棋"], [/nothing to take back/, "没有可撤销的改动"], [/nothing to do again/, "没有可重做的改动"], [/the beginning stays/, "开头不能删除"], [/no person can resign/, "双方都由 Tengen 下，无人可认输"], [/no points to count/, "此棋种不计目"],
  [/there are no (\d+) handicap stones on (\S+)/, "$2 棋盘没有 $1 子让子"], [/larger than (\d+) MiB/, "文件大于 $1 MiB"], [/no SGF game tree/, "文件里没有 SGF 棋谱"],
  [/(\w+) is not played on (\S+) here.*/, "$1 不能使用 $2 棋盘"], [/SGF property (\w+) has the value "?(.*?)"?: expected .*/, "棋谱属性 $1 的值 $2 无效"], [/up to 25x25 points/, "网页棋盘最大 25x25"], [/ends inside a property value/, "棋谱在属性值中断开"], [/unexpected character (.*) in the SGF tree at byte (\d+)/, "棋谱第 $2 字节有意外的字符 $1"], [/more than (\d+) nodes/, "棋谱超过 $1 个节点"], [/count first/, "请先点目"], [/there is no stone/, "此处没有棋子"], [/nothing was changed/, "没有改动"], [/stones that are set up .* cannot stand together/, "这些子不能这样摆：有棋子没有气"], [/the line cannot be played/, "此变化不能走"], [/no such position any more/, "此局面已不存在"], [/visits are from 1 to (\d+)/, "搜索次数从 1 到 $1"], [/a move takes up to (\d+) seconds/, "每手最多 $1 秒"], [/none of the (\d+) games can be shown.*/, "$1 局都无法显示"],
];
const NOTES = [
  [/^(\d+) visits?$/, "每个局面 $1 次搜索"], [/^(\d+) playouts?$/, "每个局面 $1 次模拟"], [/^(\d+) \w+ or (\S+) s$/, "每个局面 $1 次搜索或 $2 秒"], [/^(\S+) s$/, "每个局面 $1 秒"], [/^built in$/, "内置网络"], [/^no network$/, "无网络"], [/^the built-in network by (\S+) on (.+): (.+) after (\d+) games, on (\d+) threads?$/, "内置网络（$1，$2）：$3，$4 局之后，$5 线程"],
  [/^without a game: (\d+) of (\d+) files/, "$2 个文件中有 $1 个没有对局"],
  [/^not shown, but kept in the file: (\d+) nodes?.*/, "$1 个节点无法显示，但保留在文件中"], [/^not shown, but kept in the file: (\d+) games? before.*/, "前面 $1 局无法显示，但保留在文件中"], [/^the SGF text ends without.*/, "棋谱没有结尾，可能不完整"], [/^the SGF text ends inside.*/, "棋谱在中途断开，只读入之前的部分"], [/^unexpected character (.*) at byte (\d+).*/, "跳过了意外的字符 $1（第 $2 字节）"],
  [/^RU\[(.*)\] is unknown.*/, "不认识规则 $1：沿用当前规则"], [/^move (\d+) is against the rules.*/, "第 $1 手违反规则（同形或自杀）：按较宽的规则读入"], [/^(\w+)\[(.*)\] is left out: .*/, "$1[$2] 无法读取，已略过"], [/^PL after move (\d+) is left out: .*/, "第 $1 手后的 PL 已略过：没有摆子，轮到下一手的一方"], [/^(\w+\[.*\]) replaces what .*/, "$1 取代同一节点先前的摆子"],
  [/^(K[MO]\[.*\]) is read as a komi of (\S+): hundredths of a point$/, "$1 按百分之一目计：贴目 $2"], [/^(K[MO]\[.*\]) is read as a komi of (\S+): stones.*/, "$1 按子计，一子两目：贴目 $2"], [/^(K[MO]\[.*\]) is read as a komi of (\S+): .*/, "$1 按百分之一子计，一子两目：贴目 $2"],
  [/^the engine cannot take part: (.*)/, "引擎无法参与：$1"], [/^the game cannot be reviewed: (.*)/, "无法复盘：$1"],
];
const RULES = {
  chinese: "中国规则", japanese: "日本规则", korean: "韩国规则", aga: "AGA 规则", "tromp-taylor": "Tromp-Taylor 规则", nz: "新西兰规则", "new-zealand": "新西兰规则", "stone-scoring": "数子还棋头规则", "ancient-territory": "古代数目规则", bga: "BGA 规则", french: "法国规则", ing: "应氏规则", goe: "应氏规则", "chinese-ogs": "中国规则（OGS）", "chinese-kgs": "中国规则（KGS）",
  freestyle: "无禁手", standard: "标准（正五）", renju: "连珠（有禁手）", caro: "Caro 规则", "standard-caro": "Caro 规则（正五）", swap2: "Swap2", nogo: "不围棋",
};

let language = recall("language") || (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");

export function say(key, values) {
  const text = WORDS[language][key] ?? WORDS.en[key] ?? key;
  return values ? text.replace(/\{(\w+)\}/g, (_, name) => values[name]) : text;
}

// Texts joined with the marks of the language.
export const listed = (...texts) => texts.flat().filter(Boolean).join(say("comma"));
export const pair = (a, b) => say("pair", { a, b });
export const aside = (a, b) => say("aside", { a, b });
export const ended = (a) => say("ended", { a });

export const side = (color) => say(color === "B" ? "black" : "white");

const translated = (table, text) => {
  const known = language === "zh" && table.find(([pattern]) => pattern.test(text));
  return known ? text.match(known[0])[0].replace(known[0], known[1]) : text;
};
export const refusal = (text) => translated(REFUSALS, text);
export const note = (text) => translated(NOTES, text);

// The name of rules.
export const rules = (name) => (language === "zh" && RULES[name.toLowerCase().replaceAll(" ", "-")]) || name;

export const languageName = () => language;

export function switchLanguage() {
  language = language === "en" ? "zh" : "en";
  remember("language", language);
}

// Sets the texts of the static parts of the page.
export function label() {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  for (const element of document.querySelectorAll("[data-t]")) {
    element.textContent = say(element.dataset.t);
    const tip = WORDS[language][element.dataset.t + "Tip"];
    if (tip) element.title = tip;
  }
  for (const element of document.querySelectorAll("[data-tip]")) {
    element.title = say(element.dataset.tip);
    element.setAttribute("aria-label", say(element.dataset.tip));
  }
  for (const element of document.querySelectorAll("[data-name]")) element.setAttribute("aria-label", say(element.dataset.name));
  for (const element of document.querySelectorAll("[data-hint]")) Object.assign(element, { placeholder: say(`${element.dataset.hint}Hint`), title: say(`${element.dataset.hint}Label`), ariaLabel: say(`${element.dataset.hint}Label`) });
  document.getElementById("language").textContent = say("language");
}
