// The texts of the page in English and Chinese. The browser's language is the default.
import { recall, remember } from "./dom.js";

const WORDS = {
  en: {
    new: "New game", open: "Open", save: "Save", language: "中文", keys: "Keys and help",
    first: "To the start (Home)", back: "Back (←)", next: "On (→)", last: "To the end (End)", slider: "Move",
    engineMove: "Engine move", moveNow: "Move now", analyse: "Analyse", pass: "Pass", undo: "Undo", count: "Count", resign: "Resign",
    engineMoveTip: "The engine moves for the side to move (space)", analyseTip: "Analyse what is shown (A)", passTip: "Pass (P)", undoTip: "Take back (U)",
    countTip: "Score and dead stones as they stand", resignTip: "Give up the game", dropHere: "Drop the game here",
    candidates: "Candidates", policy: "Policy", territory: "Territory", legal: "Legal moves", none: "Plain board", show: "Show",
    analysis: "Analysis", moves: "Moves", review: "Review", visits: "visits", visitCount: "Visits",
    black: "Black", white: "White", you: "You", human: "Human", engine: "Tengen",
    toMove: "{side} to move", thinks: "{name} is thinking …", ponders: "Tengen thinks along", waiting: "No game has begun yet.", watching: "Tengen: watch",
    plan: "{spent} s of {planned} planned, at most {most}, {hard} in every case", counting: "Counting …", loading: "Tengen is getting ready …",
    wins: "wins", loses: "loses", draws: "draw", proven: "proven: {side} wins", provenDraw: "proven: draw",
    won: "{side} wins", byResign: "by resignation", byTime: "on time", byPoints: "by {points}", draw: "Draw", record: "as the record says",
    noMove: "{side} has no legal move", five: "five in a row", captured: "captured {n}", byCount: "counted; points that are not settled are a guess", certain: "counted",
    disagree: "Not so? Play on: a stone takes the game up again.",
    legalCount: "may play: Black {b}, White {w}", move: "Move", winrate: "Win rate", lead: "Lead", line: "Line", prior: "Policy",
    noAnalysis: "Press A to analyse this position.", notSearched: "This position was not searched.", finished: "The game is over here.", speed: "{n} visits/s", playLine: "Play this line as a variation",
    noCurve: "The win rate appears here as positions are searched.", graph: "Black's win rate over the game, and its lead in points; a click goes to the move",
    comment: "Remark on this position", deleteNode: "Delete from here", promote: "Make main line", mainLine: "Play to the end with →",
    startReview: "Review the game", saveReview: "Save with comments", saveReviewTip: "The line as SGF, with the judgement of each move and better lines as variations", stopReview: "Stop", reviewing: "Searching position {done} of {all} …", noReview: "Searches every position of the game from its end, and lists what each move has cost.",
    accuracy: "Accuracy", averageLoss: "Average loss", firstChoice: "First choices", inaccuracy: "inaccuracy", mistake: "mistake", blunder: "blunder", thrown_away: "thrown away",
    inaccuracies: "Inaccuracies", mistakes: "Mistakes", blunders: "Blunders", thrownAway: "Wins thrown away", played: "Played", loss: "Loss", better: "Better", noMistakes: "No inaccuracies, mistakes or blunders.",
    opening: "Opening", middle: "Middle game", ending: "Ending", phase: "Loss by phase",
    game: "Game", board: "Board", rules: "Rules", usual: "usual", komi: "Komi", byRules: "by the rules", handicap: "Handicap stones", clock: "Clock", noClock: "none", level: "Tengen's moves",
    byClock: "2 s, or by the clock", seconds: "seconds", visitsOf: "visits", strength: "weaker", strengthOf: "of 12, from beginner to full strength", players: "Players", humanBlack: "You play Black", humanWhite: "You play White", both: "You play both", engines: "Tengen plays both",
    start: "Start", cancel: "Cancel", close: "Close", perGame: "a game", increment: "a move more", byoyomi: "Byoyomi", fischer: "Fischer", absolute: "Sudden death", periods: "periods", minutes: "min",
    lost: "No connection to tengen: is it still running?", illegal: "Not allowed", tooLarge: "a game has at most {n} MiB", saved: "Saved as game.sgf", cannot: "Not done",
    helpTitle: "Keys", kWalk: "back and on", kEnds: "to the start and the end", kSpace: "Tengen moves (or moves now)", kA: "analyse, or stop", kP: "pass", kU: "take back", kN: "next mistake of a review", kL: "next layer of marks", kEsc: "leave a line that is shown",
    helpText: "Drop an SGF file anywhere to open it. A move in an earlier position begins a variation. While no page is open nothing is searched.",
    settings: "Players", apply: "Apply", gameOver: "Game over", setup: "Start of the game",
    nogo: "NoGo", go: "Go", gomoku: "Gomoku",
  },
  zh: {
    new: "新对局", open: "打开", save: "保存", language: "English", keys: "按键与帮助",
    first: "到开头 (Home)", back: "后退 (←)", next: "前进 (→)", last: "到结尾 (End)", slider: "手数",
    engineMove: "引擎落子", moveNow: "立即落子", analyse: "分析", pass: "停一手", undo: "悔棋", count: "点目", resign: "认输",
    engineMoveTip: "由引擎走下一手（空格）", analyseTip: "分析当前局面 (A)", passTip: "停一手 (P)", undoTip: "悔棋 (U)",
    countTip: "当前的得分与死子", resignTip: "认输", dropHere: "把棋谱拖到这里",
    candidates: "候选点", policy: "策略", territory: "地域", legal: "合法点", none: "不标记", show: "显示",
    analysis: "分析", moves: "棋谱", review: "复盘", visits: "次搜索", visitCount: "次数",
    black: "黑方", white: "白方", you: "你", human: "人类", engine: "Tengen",
    toMove: "轮到{side}", thinks: "{name} 思考中……", ponders: "Tengen 后台思考中", waiting: "对局尚未开始。", watching: "Tengen：观战",
    plan: "已用 {spent} 秒；计划 {planned} 秒，最多 {most} 秒，绝对上限 {hard} 秒", counting: "正在点目……", loading: "Tengen 准备中……",
    wins: "胜", loses: "负", draws: "和", proven: "已证明：{side}胜", provenDraw: "已证明：和棋",
    won: "{side}胜", byResign: "对方认输", byTime: "对方超时", byPoints: "{points} 目", draw: "和棋", record: "棋谱所记",
    noMove: "{side}无合法着手", five: "五子连珠", captured: "提子 {n}", byCount: "点目结果；未定之处为估计", certain: "点目结果",
    disagree: "不同意？继续落子即可恢复对局。",
    legalCount: "可落子：黑 {b}，白 {w}", move: "着手", winrate: "胜率", lead: "目差", line: "变化", prior: "策略",
    noAnalysis: "按 A 分析此局面。", notSearched: "此局面未搜索。", finished: "此处对局已结束。", speed: "每秒 {n} 次", playLine: "作为变化摆在棋盘上",
    noCurve: "搜索过的局面的胜率将显示在这里。", graph: "全局黑方胜率与目差；点击跳到该手",
    comment: "此局面的注释", deleteNode: "删除此后着手", promote: "设为主线", mainLine: "按 → 走到结尾",
    startReview: "复盘整局", saveReview: "保存注释棋谱", saveReviewTip: "保存为 SGF：每手的评价写入注释，更好的下法作为变化", stopReview: "停止", reviewing: "正在搜索第 {done} / {all} 个局面……", noReview: "从终局起逐一搜索每个局面，列出每手棋的损失。",
    accuracy: "准确率", averageLoss: "平均损失", firstChoice: "首选率", inaccuracy: "小失误", mistake: "失误", blunder: "大恶手", thrown_away: "葬送胜局",
    inaccuracies: "小失误", mistakes: "失误", blunders: "大恶手", thrownAway: "葬送的胜局", played: "实战", loss: "损失", better: "更好", noMistakes: "没有失误。",
    opening: "布局", middle: "中盘", ending: "收官", phase: "各阶段损失",
    game: "棋种", board: "棋盘", rules: "规则", usual: "默认", komi: "贴目", byRules: "按规则", handicap: "让子", clock: "棋钟", noClock: "无", level: "Tengen 的着手",
    byClock: "2 秒，或按棋钟", seconds: "秒", visitsOf: "次搜索", strength: "较弱", strengthOf: "级（共 12 级，1 为初学，12 为最强）", players: "对局者", humanBlack: "你执黑", humanWhite: "你执白", both: "双方都由你走", engines: "Tengen 自我对局",
    start: "开始", cancel: "取消", close: "关闭", perGame: "每局", increment: "每手加", byoyomi: "读秒", fischer: "加秒", absolute: "包干", periods: "次", minutes: "分",
    lost: "与 tengen 的连接已断开：程序还在运行吗？", illegal: "禁止落子", tooLarge: "棋谱不得超过 {n} MiB", saved: "已保存为 game.sgf", cannot: "未完成",
    helpTitle: "按键", kWalk: "后退与前进", kEnds: "开头与结尾", kSpace: "Tengen 落子（或立即落子）", kA: "分析或停止", kP: "停一手", kU: "悔棋", kN: "复盘的下一个失误", kL: "切换标记", kEsc: "退出变化显示",
    helpText: "把 SGF 文件拖到页面任意处即可打开。在较早局面落子即产生变化。没有页面打开时不做任何搜索。",
    settings: "对局者", apply: "应用", gameOver: "对局结束", setup: "对局开始",
    nogo: "不围棋", go: "围棋", gomoku: "五子棋",
  },
};

// The engine's error messages in Chinese; other texts are unchanged.
const REFUSALS = [
  [/the point is occupied/, "此处已有棋子"], [/suicide/, "禁止自杀"], [/it would capture/, "不围棋禁止吃子"], [/superko/, "禁止全局同形"], [/: ko$/, "打劫，不能立即回提"],
  [/forbidden/, "黑方禁手"], [/game is over/, "对局已结束"], [/no pass/, "此棋种不能停手"], [/board has changed/, "棋盘已变化"], [/time is up/, "时间已到"],
];

let language = recall("language") || (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");

export function say(key, values) {
  const text = WORDS[language][key] ?? WORDS.en[key] ?? key;
  return values ? text.replace(/\{(\w+)\}/g, (_, name) => values[name]) : text;
}

export const side = (color) => say(color === "B" ? "black" : "white");

export function refusal(text) {
  const known = language === "zh" && REFUSALS.find(([pattern]) => pattern.test(text));
  return known ? known[1] : text;
}

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
  document.getElementById("language").textContent = say("language");
}

export const WORD_KEYS = Object.fromEntries(Object.entries(WORDS).map(([name, words]) => [name, Object.keys(words)]));
