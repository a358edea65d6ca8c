// A GTP loop around the search of HaHaNoGo and of programs that descend from it, for matches by equal time.
// Their own loops count playouts, resign, and know no clock. Built by nogo.sh beside sources that are not ours.
#include "MCTStree.h"

#include <chrono>
#include <iostream>
#include <sstream>
#include <string>
#include <unistd.h>

// What the programs call differently.
#if defined(ERIC)
#define BEST_CHILD get_best_child_index
#define CHILDREN childptrs
#define CYCLE run_a_cycle
#else
#define BEST_CHILD getbestmove
#define CHILDREN childptr
#if defined(PARALLEL)
#define CYCLE MCTS
#else
#define CYCLE run_a_cycle
#endif
#endif

namespace {

const int SIDE = 9;
const int CYCLES_BETWEEN_LOOKS = 20;
// On a clock: moves of its own that a game still has, and seconds that stay for the connection.
const double GAME_PLIES = 74;
const double FEWEST_MOVES = 6;
const double RESERVE = 0.2;

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int point_of(const std::string& vertex) {
    const int letter = toupper(vertex[0]);
    return (letter - 'A' - (letter > 'I' ? 1 : 0)) * SIDE + vertex[1] - '1';
}

std::string vertex_of(int point) {
    const int column = point / SIDE;
    return std::string{char('A' + column + (column >= 8 ? 1 : 0)), char('1' + point % SIDE)};
}

bool is_white(const std::string& colour) { return toupper(colour[0]) == 'W'; }

class Player {
public:
    explicit Player(double seconds) : seconds_(seconds) {
        tree_.root = nullptr;
        clear();
    }

    void clear() {
        board_.clear();
        plies_ = 0;
        left_[0] = left_[1] = -1;
    }

    void time_left(bool white, double seconds) { left_[white] = seconds; }

    void play(int point, bool white) {
        board_.add(point, white);
        plies_ += 1;
    }

    std::string genmove(bool white) {
        bool can = false;
        for (int point = 0; point < SIDE * SIDE; point++) can = can || board_.check(point, white);
        if (!can) return "resign";
        const auto start = std::chrono::steady_clock::now();
        const double budget = budget_of(white);
        tree_.reset(board_);
        long cycles = 0;
        for (; seconds_since(start) < budget; cycles += CYCLES_BETWEEN_LOOKS) {
            for (int i = 0; i < CYCLES_BETWEEN_LOOKS; i++) tree_.CYCLE();
        }
        const auto& best = tree_.root->CHILDREN[tree_.root->BEST_CHILD()];
        const int point = best.place;
        std::cerr << cycles << " playouts in " << seconds_since(start) << " s, value " << best.mean << std::endl;
#if !defined(ERIC)  // which frees the tree when it is reset
        tree_.clear();
#endif
        play(point, white);
        return vertex_of(point);
    }

    // Whom their boards take to be next: they count stones.
    bool white_is_next() { return !board_.just_play_color(); }

private:
    double budget_of(bool white) const {
        if (left_[white] < 0) return seconds_;
        const double moves = std::max(FEWEST_MOVES, (GAME_PLIES - plies_) / 2);
        return std::max(0.01, (left_[white] - RESERVE) / moves);
    }

    MCTStree tree_;
    board board_;
    int plies_ = 0;
    double left_[2];
    double seconds_;
};

const char* const COMMANDS = "protocol_version\nname\nversion\nlist_commands\nknown_command\nboardsize\nclear_board\nkomi\n"
                             "play\ngenmove\ntime_settings\ntime_left\nquit";

// Answers a command; false with what is wrong.
bool answer(Player& player, const std::string& command, std::istringstream& rest, std::string& text) {
    std::string first, second;
    rest >> first >> second;
    if (command == "protocol_version") text = "2";
    else if (command == "name") text = "foreign";
    else if (command == "version") text = "1";
    else if (command == "list_commands") text = COMMANDS;
    else if (command == "known_command")
        text = (std::string("\n") + COMMANDS + "\n").find("\n" + first + "\n") != std::string::npos ? "true" : "false";
    else if (command == "boardsize") {
        if (first != "9") return text = "unacceptable size", false;
    } else if (command == "clear_board") player.clear();
    else if (command == "time_left") player.time_left(is_white(first), atof(second.c_str()));
    else if (command == "play") player.play(point_of(second), is_white(first));
    else if (command == "genmove") {
        if (is_white(first) != player.white_is_next()) return text = "the other side is to move", false;
        text = player.genmove(is_white(first));
    } else if (command != "komi" && command != "time_settings" && command != "quit")
        return text = "unknown command", false;
    return true;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2 || atof(arguments[1]) <= 0) {
        std::cerr << "usage: " << arguments[0] << " SECONDS-A-MOVE" << std::endl;
        return 2;
    }
    srand(time(nullptr) ^ (getpid() * 7919));
    Player player(atof(arguments[1]));
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string id, command, text;
        if (!(words >> command)) continue;
        if (isdigit(command[0])) {
            id = command;
            words >> command;
        }
        const bool good = answer(player, command, words, text);
        std::cout << (good ? "=" : "?") << id << (text.empty() ? "" : " ") << text << "\n\n" << std::flush;
        if (command == "quit") break;
    }
    return 0;
}
