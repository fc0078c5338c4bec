#include "character/coupling_text.h"

#include <charconv>
#include <cmath>
#include <map>
#include <sstream>

#include "character/write_mjcf.h"
#include "core/error.h"

namespace sinew {

namespace {

std::string number(double x) { return mjcf_numbers(&x, 1); }
std::string triple(const Vec3& v) { return number(v[0]) + "," + number(v[1]) + "," + number(v[2]); }

// key=value, with blanks between, as words that are asked for one by one.
class Words {
 public:
  Words(std::string what, const std::string& data, std::string file)
      : what_(std::move(what)), file_(std::move(file)) {
    std::istringstream in(data);
    for (std::string word; in >> word;) {
      const size_t sign = word.find('=');
      if (sign == std::string::npos) fail("'" + word + "' is no key=value");
      values_[word.substr(0, sign)] = word.substr(sign + 1);
    }
  }

  const std::string& text(const char* key) const {
    const auto it = values_.find(key);
    if (it == values_.end()) fail(std::string(key) + "= is missing");
    return it->second;
  }

  // As many numbers with commas between.
  VecX numbers(const char* key, int count) const {
    const std::string& from = text(key);
    VecX out(count);
    const char *at = from.data(), *end = at + from.size();
    for (int i = 0; i < count; ++i) {
      const auto [next, ec] = std::from_chars(at, end, out[i]);
      const bool last = i == count - 1;
      if (ec != std::errc() || !std::isfinite(out[i]) || (last ? next != end : next == end || *next != ','))
        fail(std::string(key) + "=" + from + ": expected " + std::to_string(count) +
             (count == 1 ? " number" : " numbers with commas between"));
      at = next + 1;
    }
    return out;
  }
  double positive(const char* key) const {
    const double value = numbers(key, 1)[0];
    if (value < 0) fail(std::string(key) + " is below 0");
    return value;
  }

  // The index of the thing with the name that a key has.
  template <typename Things>
  int index(const char* key, const Things& things) const {
    const std::string& name = text(key);
    for (size_t i = 0; i < things.size(); ++i)
      if (things[i].name == name) return static_cast<int>(i);
    fail("there is no '" + name + "'");
  }

  [[noreturn]] void fail(const std::string& why) const { throw Error(file_, 0, what_ + ": " + why); }

 private:
  std::string what_, file_;
  std::map<std::string, std::string> values_;
};

}  // namespace

std::string spring_data(const Character& c, const PointSpring& s) {
  return "a=" + c.bodies[static_cast<size_t>(s.body_a)].name + " at=" + triple(s.p_AP) +
         " b=" + c.bodies[static_cast<size_t>(s.body_b)].name + " to=" + triple(s.p_BQ) +
         " stiffness=" + number(s.stiffness) + " damping=" + number(s.damping);
}

std::string chain_data(const Character& c, const Chain& chain) {
  return "a=" + c.joints[static_cast<size_t>(chain.joint_a)].name +
         " b=" + c.joints[static_cast<size_t>(chain.joint_b)].name + " ratio=" + number(chain.ratio) +
         " stiffness=" + number(chain.stiffness) + " damping=" + number(chain.damping);
}

void add_spring(Character& c, const std::string& name, const std::string& data, const std::string& file) {
  const Words words(std::string(kSpringText) + name, data, file);
  c.springs.push_back({name, words.index("a", c.bodies), words.index("b", c.bodies), words.numbers("at", 3),
                       words.numbers("to", 3), words.positive("stiffness"), words.positive("damping")});
}

void add_chain(Character& c, const std::string& name, const std::string& data, const std::string& file) {
  const Words words(std::string(kChainText) + name, data, file);
  const Chain chain{name,
                    words.index("a", c.joints),
                    words.index("b", c.joints),
                    words.numbers("ratio", 1)[0],
                    words.positive("stiffness"),
                    words.positive("damping")};
  for (const int j : {chain.joint_a, chain.joint_b})
    if (c.joints[static_cast<size_t>(j)].type != JointType::kHinge)
      words.fail("'" + c.joints[static_cast<size_t>(j)].name + "' is no hinge");
  c.chains.push_back(chain);
}

}  // namespace sinew
