// Prints the inputs of KataGo's networks for positions on flat boards, by KataGo's own code (nninputs.cpp).
//
// Each line of input: SIZE KO SUICIDE KOMI MOVE..., where KO is SIMPLE, POSITIONAL or SITUATIONAL, SUICIDE 0 or 1, and a
// MOVE is a point, row * SIZE + column, or -1 for a pass; Black begins. Each line of output: the spatial features of the
// last position, 22 for each point, and the 19 global ones; or a word if KataGo holds a move for illegal.
#include <iostream>
#include <sstream>

#include "core/global.h"
#include "game/boardhistory.h"
#include "neuralnet/nninputs.h"

int main() {
  Board::initHash();
  std::string line;
  while(std::getline(std::cin, line)) {
    std::istringstream words(line);
    int size, suicide, move;
    std::string ko;
    float komi;
    words >> size >> ko >> suicide >> komi;
    Rules rules;
    rules.koRule = Rules::parseKoRule(ko);
    rules.scoringRule = Rules::SCORING_AREA;
    rules.taxRule = Rules::TAX_NONE;
    rules.multiStoneSuicideLegal = suicide != 0;
    rules.hasButton = false;
    rules.komi = komi;
    Board board(size, size);
    Player next = P_BLACK;
    BoardHistory history(board, next, rules, 0, false);
    bool legal = true;
    while(legal && words >> move) {
      Loc loc = move < 0 ? Board::PASS_LOC : Location::getLoc(move % size, move / size, size);
      legal = history.isLegal(board, loc, next);
      if(legal)
        history.makeBoardMoveAssumeLegal(board, loc, next, NULL);
      next = getOpp(next);
    }
    if(!legal) {
      std::cout << "illegal" << std::endl;
      continue;
    }
    std::vector<float> points(size * size * 22), whole(19);
    MiscNNInputParams parameters;
    NNInputs::fillRowV7(board, history, next, parameters, size, size, true, points.data(), whole.data());
    for(float value : points)
      std::cout << value << ' ';
    for(float value : whole)
      std::cout << value << ' ';
    std::cout << std::endl;
  }
}
