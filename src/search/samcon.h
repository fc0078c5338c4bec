#pragma once

#include <vector>

#include "search/samcon_cost.h"
#include "search/search.h"

// Reconstruction of open-loop control by sampling, as Liu et al. 2010 (004) have it.
namespace sinew {

struct SamconOptions {
  int samples = 1400;  // simulated from the saved states, each sampling step
  int save = 200;      // kept of them
  SamconWeights weights = {};
  double sampling_s = 0.1;     // sampling step
  double window_scale = 1;     // times Joint::window
  double gain = 1;             // times the character's kp; kd by its root
  bool contact_scale = false;  // Joint::contact_scale while a limb bears load; the paper's runs need it
};

// Indices of the samples that are kept, cheapest first: the dearer 40 % and those of infinite cost are left
// out; over the range of the others' costs the x^6 rule picks `save` different ones (004, section 3.2.3).
std::vector<size_t> select_samples(const std::vector<double>& cost, int save);

// Every sampling step displaces the servos' targets at random within the joints' windows, about the
// reference's pose shifted by what tracking alone misses, simulates that step from the saved states, and
// saves some of the best. The control is the path whose costs add up to the least. Throws Error for options
// that make no sense and for a checkpoint of another search.
SearchResult samcon(const SearchTask& task, const SamconOptions& options = {}, const SearchHooks& hooks = {});

}  // namespace sinew
