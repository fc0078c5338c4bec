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

#include "studio/lane.h"
#include "studio/request.h"
#include "studio/telling.h"
#include "studio/workshop.h"

namespace sinew::studio {

inline constexpr size_t kMostPerformers = 4;
inline constexpr size_t kMostAsked = 256;  // requests that wait
inline constexpr size_t kMostFiles = 4;    // exports that wait to be fetched

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
  // Imports a file and gives it to the first performer; `done` hears an error's sentence or nothing.
  bool drop(const std::string& name, std::shared_ptr<const std::string> bytes,
            std::function<void(const std::string& error)> done);
  std::shared_ptr<const TakeFile> file(const std::string& id) const;

 private:
  void run();
  void drain();
  void pace();
  void advance_frame();
  void show(double clock_s);
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
  void handle(long client, const Cancel& request);
  void handle(long client, const Ping& request);
  Performer* find(int performer, int body = 0);

  // Building.
  struct Wanted {
    Role role;
    bool dirty = true;
    bool fresh = true;  // from the beginning, not from where it is
  };
  void build();
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
  unsigned epoch_ = 0;
  double clock_s_ = 0;
  bool paused_ = false;
  double speed_ = 1;
  bool repeat_motions_ = true, repeat_falls_ = true;
  long holder_ = 0;
  int held_ = -1;
  std::string note_;

  // The clock on the wall.
  std::chrono::steady_clock::time_point last_{}, told_{}, window_begin_{};
  double due_s_ = 0, window_sim_s_ = 0, busy_s_ = 0, factor_ = 0, capacity_ = 0;
  bool slow_ = false;

  // A search, if there is one.
  struct Search {
    std::atomic<bool> cancelled = false;
    size_t performer = 0;
    Role before;
    double seconds = 0, reached_s = 0, cost = 0;
    long samples = 0;
    int rewinds = 0;
    std::shared_ptr<const ControlFile> candidate;  // the best so far, until it is shown
  };
  std::shared_ptr<Search> search_;
  void run_search(const std::shared_ptr<Search>& search, const ControlFile& inputs);
  void search_ended(const std::shared_ptr<Search>& search, const std::shared_ptr<const ControlFile>& found,
                    const std::string& sentence);

  Lane builder_, exporter_, searcher_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace sinew::studio
