#include "record/summary.h"

#include <nlohmann/json.hpp>

#include "record/metrics.h"

namespace sinew {

namespace {

template <typename T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

void take(Summary& summary, const Metrics& metrics) {
  summary.seconds = metrics.seconds;
  summary.completed = metrics.completed;
  summary.failed_at_s = metrics.failed_at_s;
  summary.pose_error_rad = metrics.pose_error_rad;
  summary.root_height_error_m = metrics.root_height_error_m;
  summary.root_tilt_error_rad = metrics.root_tilt_error_rad;
  summary.root_drift_m = metrics.root_drift_m;
  summary.foot_slide_m_s = metrics.foot_slide_m_s;
  summary.planted_slide_m_s = metrics.planted_slide_m_s;
  summary.torque_rms_Nm = metrics.torque_rms_Nm;
  summary.max_penetration_m = metrics.max_penetration_m;
  summary.root_residual_N = metrics.root_residual_N;
  summary.torque_peak_share = metrics.torque_peak_share;
  summary.torque_rate_Nm_s = metrics.torque_rate_Nm_s;
  summary.impact_bw = metrics.impact_bw;
  summary.impact_ratio = metrics.impact_ratio;
  summary.jerk_ratio = metrics.jerk_ratio;
}

std::string to_json(const Summary& s) {
  nlohmann::ordered_json j;
  j["sinew"] = SINEW_VERSION;
  j["command"] = s.command;
  j["clip"] = s.clip;
  j["character"] = s.character;
  j["engine"] = s.engine.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(s.engine);
  j["world"] = s.world;
  j["seed"] = s.seed;
  j["seconds"] = s.seconds;
  j["completed"] = s.completed;
  j["failed_at_s"] = or_null(s.failed_at_s);
  j["pose_error_rad"] = or_null(s.pose_error_rad);
  j["root_height_error_m"] = or_null(s.root_height_error_m);
  j["root_tilt_error_rad"] = or_null(s.root_tilt_error_rad);
  j["root_drift_m"] = or_null(s.root_drift_m);
  j["foot_slide_m_s"] = or_null(s.foot_slide_m_s);
  if (s.planted_slide_m_s) j["planted_slide_m_s"] = *s.planted_slide_m_s;
  j["torque_rms_Nm"] = or_null(s.torque_rms_Nm);
  j["max_penetration_m"] = or_null(s.max_penetration_m);
  j["root_residual_N"] = or_null(s.root_residual_N);
  j["torque_peak_share"] = or_null(s.torque_peak_share);
  j["torque_rate_Nm_s"] = or_null(s.torque_rate_Nm_s);
  j["impact_bw"] = or_null(s.impact_bw);
  j["impact_ratio"] = or_null(s.impact_ratio);
  j["jerk_ratio"] = or_null(s.jerk_ratio);
  if (s.course_error_m) j["course_error_m"] = *s.course_error_m;
  j["cpu_s"] = s.cpu_s;
  j["wall_s"] = s.wall_s;
  j["realtime_factor"] = or_null(s.realtime_factor);
  j["samples"] = or_null(s.samples);
  if (s.qp)
    j["qp"] = {{"plans", s.qp->plans},
               {"relaxed", s.qp->relaxed},
               {"failed", s.qp->failed},
               {"mean_iterations", s.qp->mean_iterations},
               {"worst_residual", s.qp->worst_residual},
               {"most_variables", s.qp->most_variables}};
  if (s.reaction) {
    j["reaction"] = nlohmann::ordered_json::array();
    for (const Reaction& hit : *s.reaction)
      j["reaction"].push_back({{"body", hit.body},
                               {"expected", hit.expected},
                               {"peak_rad", hit.peak_rad},
                               {"back_after_s", hit.back_after_s}});
  }
  if (s.gait)
    j["gait"] = {{"speed_m_s", s.gait->speed_m_s},
                 {"steps_per_s", s.gait->steps_per_s},
                 {"step_length_m", s.gait->step_length_m},
                 {"stance_fraction", s.gait->stance_fraction},
                 {"peak_ground_force_bw", s.gait->peak_ground_force_bw}};
  if (s.adapt) {
    j["evaluations"] = s.adapt->evaluations;
    j["cost_before"] = s.adapt->cost_before;
    j["cost_after"] = s.adapt->cost_after;
    j["intermediates"] = s.adapt->intermediates;
  }
  // Names of files need not be UTF-8.
  return j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace sinew
