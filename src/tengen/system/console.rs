//! The window of a program started by a double click.

/// Text for a user who started the program by a double click: read on, and close the window.
#[cfg(windows)]
const WORDS: &str = "\
This program is for board programs and consoles: START.txt beside it says how to begin.
本程序供对局界面和命令行使用：用法见同一文件夹里的 START.txt。
Press Enter to close. 按回车键关闭。";

/// Keeps the window open until its user has read it: Windows opens one for a program that is
/// started by a double click, and closes it at the end together with the error message.
#[cfg(windows)]
pub fn hold_window() {
    use std::io::{IsTerminal as _, Write as _, stderr, stdin};

    // A program started in a console usually has arguments.
    let is_bare = std::env::args_os().len() <= 1;
    if is_bare && stdin().is_terminal() && stderr().is_terminal() {
        // If this cannot be written, it cannot be read either.
        let _ = write!(stderr(), "\n{WORDS} ");
        let _ = stdin().read_line(&mut String::new());
    }
}

/// Elsewhere a window stays open by itself, or there is none.
#[cfg(not(windows))]
pub fn hold_window() {}
