// The tasks of this program on OpenFst's C++ interface: tasks DIR TASK RUNS.
//
// Every run prints a line: the seconds of processor time that it took, the peak memory
// of the process so far in megabytes, and the numbers that are the answer, which it
// takes no account of the time to find in the result.

#include <fst/fstlib.h>
#include <sys/resource.h>
#include <time.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace fst;
using std::string;
using std::vector;
using Numbers = vector<double>;
using Run = std::function<std::function<Numbers()>()>;

static double seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double megabytes() {
  rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_maxrss * 1024 / 1e6;
}

template <class A>
VectorFst<A> load(const string &path) {
  VectorFst<A> *f = VectorFst<A>::Read(path);
  if (!f) exit(1);
  VectorFst<A> g(*f);
  delete f;
  return g;
}

template <class A>
Numbers size(const VectorFst<A> &f) {
  size_t arcs = 0;
  for (int s = 0; s < f.NumStates(); s++) arcs += f.NumArcs(s);
  return {double(f.NumStates()), double(arcs)};
}

static StdVectorFst letters(const string &word) {
  StdVectorFst f;
  f.SetStart(f.AddState());
  for (size_t i = 0; i < word.size(); i++) {
    f.AddState();
    f.AddArc(i, StdArc(word[i] - 'a' + 1, word[i] - 'a' + 1, StdArc::Weight::One(), i + 1));
  }
  f.SetFinal(word.size(), StdArc::Weight::One());
  return f;
}

// few counts the edits of a machine with one state: there may be two.
static StdVectorFst few(const StdVectorFst &edit) {
  StdVectorFst f;
  for (int k = 0; k < 3; k++) f.SetFinal(f.AddState(), StdArc::Weight::One());
  f.SetStart(0);
  for (int k = 0; k < 3; k++) {
    for (ArcIterator<StdVectorFst> i(edit, 0); !i.Done(); i.Next()) {
      StdArc a = i.Value();
      a.nextstate = k + (a.ilabel == a.olabel ? 0 : 1);
      if (a.nextstate < 3) f.AddArc(k, a);
    }
  }
  return f;
}

static double best(const StdVectorFst &noise, const StdVectorFst &trie, bool eager) {
  StdVectorFst path;
  if (eager) {
    StdVectorFst c;
    Compose(noise, trie, &c);
    ShortestPath(c, &path);
  } else {
    ComposeFst<StdArc> c(noise, trie);
    vector<TropicalWeight> distance;
    NaturalShortestFirstQueue<int, TropicalWeight> queue(distance);
    ShortestPathOptions<StdArc, decltype(queue), AnyArcFilter<StdArc>> o(
        &queue, AnyArcFilter<StdArc>(), 1, false, false, kShortestDelta, true);
    ShortestPath(c, &path, &distance, o);
  }
  return ShortestDistance(path).Value();
}

static Run correction(const string &dir, bool eager) {
  auto edit = load<StdArc>(dir + "edit.standard");
  if (eager) edit = few(edit);
  ArcSort(&edit, OLabelCompare<StdArc>());
  auto trie = load<StdArc>(dir + "trie.standard");
  ArcSort(&trie, ILabelCompare<StdArc>());
  vector<string> words(40);
  std::ifstream in(dir + "noisy.txt");
  for (auto &w : words) in >> w;
  return [=] {
    double sum = 0;
    for (auto &w : words) {
      StdVectorFst noise;
      Compose(letters(w), edit, &noise);
      ArcSort(&noise, OLabelCompare<StdArc>());
      sum += best(noise, trie, eager);
    }
    return [=] { return Numbers{sum}; };
  };
}

static Run composition(const string &dir) {
  auto edit = load<StdArc>(dir + "edit.standard"), trie = load<StdArc>(dir + "trie.standard");
  ArcSort(&edit, OLabelCompare<StdArc>());
  ArcSort(&trie, ILabelCompare<StdArc>());
  return [=] {
    auto c = std::make_shared<StdVectorFst>();
    Compose(edit, trie, c.get());
    return [=] { return size(*c); };
  };
}

static double exact(double cost) { return cost; }

// eighths undoes what OpenFst's look-ahead does to costs that are whole eighths, as
// those of the grammar are: it divides the weight that waits in a state by itself rounded
// to kDelta, 1/1024, so that every arc of a path may add or take half of that.
static double eighths(double cost) {
  const double whole = std::round(8 * cost) / 8;
  if (std::abs(cost - whole) > 1. / 32) {
    fprintf(stderr, "a path costs %.9g, far from whole eighths\n", cost);
    exit(1);
  }
  return whole;
}

// costs is the sum of the costs of the 100 best paths, of which there is a machine.
static double costs(const StdVectorFst &f, double (*corrected)(double) = exact) {
  double sum = 0;
  vector<std::pair<int, double>> open{{f.Start(), 0}};
  while (!open.empty()) {
    auto [s, spent] = open.back();
    open.pop_back();
    if (f.Final(s) != TropicalWeight::Zero()) sum += corrected(spent + f.Final(s).Value());
    for (ArcIterator<StdVectorFst> i(f, s); !i.Done(); i.Next()) {
      open.emplace_back(i.Value().nextstate, spent + i.Value().weight.Value());
    }
  }
  return sum;
}

// transcription is lexicon ∘ grammar, with the look-ahead that OpenFst has for it.
static Run transcription(const string &dir) {
  auto lexicon = load<StdArc>(dir + "lexicon.standard"), grammar = load<StdArc>(dir + "grammar.standard");
  StdOLabelLookAheadFst ahead(lexicon);
  LabelLookAheadRelabeler<StdArc>::Relabel(&grammar, ahead, true);
  ArcSort(&grammar, ILabelCompare<StdArc>());
  return [=] {
    auto c = std::make_shared<StdVectorFst>(ComposeFst<StdArc>(ahead, grammar));
    Connect(c.get());
    return [=] {
      StdVectorFst p;
      ShortestPath(*c, &p, 100);
      return Numbers{costs(p, eighths)};
    };
  };
}

static Run determinization(const string &path) {
  auto f = load<StdArc>(path);
  return [=] {
    auto d = std::make_shared<StdVectorFst>();
    Determinize(f, d.get());
    Minimize(d.get());
    return [=] { return size(*d); };
  };
}

template <class A>
Run removal(const string &path) {
  auto f = load<A>(path);
  return [=] {
    auto g = std::make_shared<VectorFst<A>>(f);
    RmEpsilon(g.get());
    return [=] { return size(*g); };
  };
}

static Run paths(const string &path) {
  auto f = load<StdArc>(path);
  return [=] {
    auto p = std::make_shared<StdVectorFst>();
    ShortestPath(f, p.get(), 100);
    return [=] { return Numbers{costs(*p)}; };
  };
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const string dir = string(argv[1]) + "/", task = argv[2];
  Run run;
  if (task == "compose") run = composition(dir);
  if (task == "correct-eager") run = correction(dir, true);
  if (task == "correct-lazy") run = correction(dir, false);
  if (task == "look-ahead") run = transcription(dir);
  if (task == "minimize") run = determinization(dir + "words.standard");
  if (task == "minimize-weighted") run = determinization(dir + "wwords.standard");
  if (task == "epsilon-dag") run = removal<StdArc>(dir + "eps_dag.standard");
  if (task == "epsilon-dag-log") run = removal<LogArc>(dir + "eps_dag.log");
  if (task == "epsilon-cyclic") run = removal<StdArc>(dir + "eps_cyc.standard");
  if (task == "epsilon-cyclic-log") run = removal<LogArc>(dir + "eps_cyc.log");
  if (task == "paths") run = paths(dir + "lattice.standard");
  if (!run) return 2;
  for (int i = atoi(argv[3]); i > 0; i--) {
    const double before = seconds();
    const auto answer = run();
    printf("%.6f %.1f", seconds() - before, megabytes());
    for (double x : answer()) printf(" %.9g", x);
    printf("\n");
    fflush(stdout);
  }
}
