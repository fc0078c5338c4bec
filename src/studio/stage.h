#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "search/adapt.h"
#include "studio/lane.h"
#include "studio/request.h"
#include "studio/telling.h"
#include "studio/workshop.h"

namespace sinew::studio {

inline constexpr size_t kMostPerformers = 4;
inline constexpr size_t kMostAsked = 256;  // requests that wait
inline constexpr size_t kMostFiles = 4;    // exports that wait to be fetched
inline constexpr int kMostSteps = 60;      // single frames that are to be made

// A message to a page, or to all of them.
struct Outgoing {
  long client = 0;  // 0: all
  bool binary = false;
  std::shared_ptr<const std::string> bytes;
};

// A take as a file.
struct TakeFile {
  std::string name, type;
  std::shared_ptr<const std::string> bytes;
};

// Where it all happens: a thread that simulates in real time, or slower where the machine is, and does what
// pages ask for; others beside it build performers, write files and search.
class Stage {
 public:
  // `send` is called from several threads.
  Stage(Workshop& workshop, int threads, std::function<void(Outgoing)> send);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // All from any thread.
  void begin(const std::vector<Role>& roles, const Setting& setting);
  bool ask(long client, const Request& request);  // false: too much was asked, and this is not done
  void greet(long client);                        // tells it all that a new page must know
  void leave(long client);                        // its hands let go
  // Imports a file and gives it to a performer; `done` hears an error's sentence or nothing.
  bool drop(const std::string& name, std::shared_ptr<const std::string> bytes, int performer,
            std::function<void(const std::string& error)> done);
  std::shared_ptr<const TakeFile> file(const std::string& id) const;

 private:
  void run();
  void drain();
  double rest();
  void pace();
  void advance_frame();
  void show(double clock_s);
  void show_sketch();
  void publish_state(bool now = false);
  void send_text(long client, const std::string& text) const;
  void post(std::function<void()> job);  // to the stage's own thread
  void mend(Performer& performer, size_t index);

  // What pages ask.
  void handle(long client, const Pause& request);
  void handle(long client, const Step& request);
  void handle(long client, const Speed& request);
  void handle(long client, const Reset& request);
  void handle(long client, const Seek& request);
  void handle(long client, const Rewind& request);
  void handle(long client, const Repeat& request);
  void handle(long client, const Choose& request);
  void handle(long client, const Surround& request);
  void handle(long client, const Add& request);
  void handle(long client, const Remove& request);
  void handle(long client, const Gallery& request);
  void handle(long client, const Hold& request);
  void handle(long client, const Release& request);
  void handle(long client, const Shove& request);
  void handle(long client, const Ball& request);
  void handle(long client, const Export& request);
  void handle(long client, const Reconstruct& request);
  void handle(long client, const Adapt& request);
  void handle(long client, const Cancel& request);
  void handle(long client, const Morph& request);
  void handle(long client, const TurnBack& request);
  void handle(long client, const Ping& request);
  Performer* find(int performer, int body = 0);

  // Building.
  struct Wanted {
    Role role;
    bool dirty = true;
    bool fresh = true;      // from the beginning, not from where it is
    bool sketched = false;  // its ghost was asked for
  };
  void build();
  void sketch();
  void build_failed(const std::string& sentence);
  void adopt(std::vector<std::unique_ptr<Performer>> built, const std::vector<size_t>& places, bool all);

  Workshop& workshop_;
  const int threads_;
  const std::function<void(Outgoing)> send_;

  mutable std::mutex mutex_;  // of the inbox and the files
  std::condition_variable wake_;
  std::deque<std::pair<long, Request>> asked_;
  std::deque<std::function<void()>> posted_;
  std::map<std::string, std::shared_ptr<const TakeFile>> files_;
  std::deque<std::string> file_order_;
  bool ending_ = false;

  // Of the stage's own thread.
  std::vector<std::unique_ptr<Performer>> performers_;
  std::vector<Wanted> wanted_;
  Setting setting_, wanted_setting_;
  bool replace_all_ = false, building_ = false;
  int sketching_ = 0;  // ghosts that are being made; what is wanted is built after them
  bool preparing() const { return building_ || sketching_ > 0; }
  // A motion that is on its way to a performer, and since when it is shown as a ghost.
  struct Coming {
    size_t place = 0;
    Sketch sketch;
    std::chrono::steady_clock::time_point since;
  };
  std::optional<Coming> coming_;
  unsigned epoch_ = 0;
  double clock_s_ = 0;
  bool paused_ = false;
  int steps_left_ = 0;  // frames to make while it is paused
  double speed_ = 1;
  bool repeat_motions_ = true, repeat_falls_ = true;
  long holder_ = 0;
  int held_ = -1;
  bool touched_ = false;  // by a hand, since the last frame

  // The clock on the wall.
  std::chrono::steady_clock::time_point last_{}, told_{}, window_begin_{};
  double due_s_ = 0, window_sim_s_ = 0, busy_s_ = 0, factor_ = 0, capacity_ = 0;
  bool slow_ = false;

  // A search, if there is one.
  struct Search {
    std::atomic<bool> cancelled = false;
    std::string kind;  // "reconstruct" or "adapt"
    size_t performer = 0;
    Role before;
    double share = 0;                   // of it that is done
    double seconds = 0, reached_s = 0;  // reconstruct: of the motion
    std::string to;                     // adapt: whom
    double part = 0;                    // adapt: of the way there that is tuned now
    double cost = 0;
    long samples = 0;
    int rewinds = 0;
    std::optional<Role> candidate;  // the best so far, until it is shown
  };
  std::shared_ptr<Search> search_;
  std::shared_ptr<Search> begin_search(const std::string& kind, int performer);
  void start(const std::shared_ptr<Search>& search, std::function<void()> work);
  void run_search(const std::shared_ptr<Search>& search, const ControlFile& inputs);
  void run_adapt(const std::shared_ptr<Search>& search, const AdaptTask& task);
  void show_candidate(const std::shared_ptr<Search>& search, Role candidate);
  void search_ended(const std::shared_ptr<Search>& search, const std::optional<Role>& found,
                    const std::string& sentence);

  Lane importer_, builder_, exporter_, searcher_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace sinew::studio
