#include "search/minimise.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "core/math.h"
#include "core/random.h"

namespace sinew {

namespace {

// Numbers of a checkpoint in a fixed order, written or read by the same lines.
class Archive {
 public:
  explicit Archive(Checkpoint& into) : out_(&into) {}
  explicit Archive(const Checkpoint& from, int) : in_(&from) {}

  template <class Number>
  void number(Number& x) {
    if (out_) {
      out_->push_back(static_cast<double>(x));
      return;
    }
    if (at_ >= in_->size()) throw Error("this checkpoint is cut short or belongs to another search");
    x = static_cast<Number>((*in_)[at_++]);
  }
  template <class Array>
  void numbers(Array& a) {
    for (double& x : a.reshaped()) number(x);
  }
  void list(std::vector<double>& a) {
    size_t size = a.size();
    number(size);
    a.resize(size);
    for (double& x : a) number(x);
  }

 private:
  Checkpoint* out_ = nullptr;
  const Checkpoint* in_ = nullptr;
  size_t at_ = 0;
};

// One that proposes samples and learns from their costs.
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual void ask(int generation, std::vector<VecX>& samples) = 0;
  virtual void tell(int generation, const std::vector<VecX>& samples, const std::vector<double>& costs) = 0;
  virtual double step() const = 0;
  virtual void archive(Archive& archive) = 0;
};

// Hansen, The CMA Evolution Strategy: A Tutorial (2016), with its default constants.
class Cma : public Strategy {
 public:
  Cma(const VecX& start, const MinimiseOptions& options)
      : seed_(options.seed),
        n_(start.size()),
        count_(options.population),
        mean_(start),
        sigma_(options.step) {
    const auto n = static_cast<double>(n_);
    if (count_ <= 0) count_ = 4 + static_cast<int>(3 * std::log(n));
    const int parents = std::max(count_ / 2, 1);
    weight_ = VecX(parents);
    for (int i = 0; i < parents; ++i) weight_[i] = std::log(parents + 0.5) - std::log(i + 1.0);
    weight_ /= weight_.sum();
    const double mu = 1 / weight_.squaredNorm();
    mu_ = mu;
    c_sigma_ = (mu + 2) / (n + mu + 5);
    damping_ = 1 + 2 * std::max(0.0, std::sqrt((mu - 1) / (n + 1)) - 1) + c_sigma_;
    c_path_ = (4 + mu / n) / (n + 4 + 2 * mu / n);
    c_one_ = 2 / ((n + 1.3) * (n + 1.3) + mu);
    c_mu_ = std::min(1 - c_one_, 2 * (mu - 2 + 1 / mu) / ((n + 2) * (n + 2) + mu));
    expected_ = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
    C_ = MatX::Identity(n_, n_);
    path_ = path_sigma_ = VecX::Zero(n_);
    factor();
  }

  void ask(int generation, std::vector<VecX>& samples) override {
    samples.assign(static_cast<size_t>(count_), VecX(n_));
    for (size_t k = 0; k < samples.size(); ++k) {
      Random random(seed_, static_cast<uint64_t>(generation), k);
      VecX z(n_);
      for (double& x : z) x = random.normal();
      samples[k] = mean_ + sigma_ * (B_ * z.cwiseProduct(scale_));
    }
  }

  void tell(int generation, const std::vector<VecX>& samples, const std::vector<double>& costs) override {
    std::vector<size_t> order(samples.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return costs[a] < costs[b]; });

    // The mean moves to the better half; how it moved is remembered as paths.
    const VecX before = mean_;
    mean_.setZero();
    for (Eigen::Index i = 0; i < weight_.size(); ++i)
      mean_ += weight_[i] * samples[order[static_cast<size_t>(i)]];
    const VecX moved = (mean_ - before) / sigma_;
    const VecX whitened = B_ * (B_.transpose() * moved).cwiseQuotient(scale_);
    path_sigma_ = (1 - c_sigma_) * path_sigma_ + std::sqrt(c_sigma_ * (2 - c_sigma_) * mu_) * whitened;
    const double length = path_sigma_.norm();
    const auto n = static_cast<double>(n_);
    const double grown = std::sqrt(1 - std::pow(1 - c_sigma_, 2.0 * (generation + 1)));
    const bool steady = length / grown < (1.4 + 2 / (n + 1)) * expected_;
    path_ = (1 - c_path_) * path_;
    if (steady) path_ += std::sqrt(c_path_ * (2 - c_path_) * mu_) * moved;

    // The covariance follows the path and the better samples, the step the length of the path.
    const double kept = 1 - c_one_ - c_mu_ + (steady ? 0 : c_one_ * c_path_ * (2 - c_path_));
    C_ = kept * C_ + c_one_ * path_ * path_.transpose();
    for (Eigen::Index i = 0; i < weight_.size(); ++i) {
      const VecX y = (samples[order[static_cast<size_t>(i)]] - before) / sigma_;
      C_ += c_mu_ * weight_[i] * y * y.transpose();
    }
    sigma_ *= std::exp(std::min(1.0, c_sigma_ / damping_ * (length / expected_ - 1)));
    factor();
  }

  double step() const override { return sigma_; }

  void archive(Archive& a) override {
    a.numbers(mean_), a.numbers(path_), a.numbers(path_sigma_), a.numbers(C_), a.number(sigma_);
    factor();
  }

 private:
  void factor() {
    const Eigen::SelfAdjointEigenSolver<MatX> eigen(C_);
    B_ = eigen.eigenvectors();
    scale_ = eigen.eigenvalues().cwiseMax(1e-20).cwiseSqrt();
  }

  uint64_t seed_;
  Eigen::Index n_;
  int count_;
  VecX mean_, weight_, path_, path_sigma_, scale_;
  MatX C_, B_;
  double sigma_, mu_ = 0, c_sigma_ = 0, damping_ = 0, c_path_ = 0, c_one_ = 0, c_mu_ = 0, expected_ = 0;
};

// From where it is, a few steps at a time are tried; Metropolis decides on each in turn. Temperature and
// steps shrink over the search.
class Annealing : public Strategy {
 public:
  Annealing(const VecX& start, double first_cost, const MinimiseOptions& options)
      : options_(options), here_(start), cost_(first_cost), heat_(options.heat * std::abs(first_cost)) {
    if (options_.population <= 0) options_.population = 4;
    generations_ = std::max(1, options_.evaluations / options_.population);
  }

  void ask(int generation, std::vector<VecX>& samples) override {
    samples.assign(static_cast<size_t>(options_.population), here_);
    now_ = options_.step * (1 - 0.9 * std::min(1.0, generation / static_cast<double>(generations_)));
    for (size_t k = 0; k < samples.size(); ++k) {
      Random random(options_.seed, static_cast<uint64_t>(generation), k);
      for (double& x : samples[k]) x += now_ * random.normal();
    }
  }

  void tell(int generation, const std::vector<VecX>& samples, const std::vector<double>& costs) override {
    const double cooled = 1 - std::min(1.0, generation / static_cast<double>(generations_));
    const double temperature = heat_ * cooled * cooled;
    for (size_t k = 0; k < samples.size(); ++k) {
      Random random(options_.seed, static_cast<uint64_t>(generation), samples.size() + k);
      const double worse = costs[k] - cost_;
      if (worse > 0 && (temperature <= 0 || random.uniform() >= std::exp(-worse / temperature))) continue;
      here_ = samples[k];
      cost_ = costs[k];
    }
  }

  double step() const override { return now_; }

  void archive(Archive& a) override { a.numbers(here_), a.number(cost_), a.number(heat_), a.number(now_); }

 private:
  MinimiseOptions options_;
  VecX here_;
  double cost_, heat_, now_ = 0;
  int generations_ = 1;
};

std::vector<double> as_numbers(const VecX& x) { return {x.begin(), x.end()}; }

}  // namespace

Minimum minimise(
    Executor& executor, const std::vector<double>& start, const MinimiseOptions& options,
    const std::function<bool(const MinimiseReport&, const std::function<Checkpoint()>& save)>& progress,
    const std::optional<Checkpoint>& resume) {
  const VecX first = Eigen::Map<const VecX>(start.data(), static_cast<Eigen::Index>(start.size()));
  Minimum best;
  best.x = start;
  std::vector<Numbers> results;
  if (!resume) {
    executor.run({start}, results);
    best.cost = best.first_cost = results[0].at(0);
    best.evaluations = 1;
    best.history = {best.cost};
  }
  int generation = 0;
  const auto archive = [&](Archive& a, Strategy& strategy) {
    a.list(best.x), a.number(best.cost), a.number(best.first_cost), a.number(best.evaluations);
    a.list(best.history), a.number(generation);
    strategy.archive(a);
  };
  std::unique_ptr<Strategy> strategy;
  if (options.method == Method::kCma)
    strategy = std::make_unique<Cma>(first, options);
  else
    strategy = std::make_unique<Annealing>(first, best.cost, options);
  if (resume) {
    Archive a(*resume, 0);
    archive(a, *strategy);
  }

  // Generation by generation: propose, simulate, learn.
  std::vector<VecX> samples;
  std::vector<Numbers> jobs;
  while (best.evaluations < options.evaluations) {
    strategy->ask(generation, samples);
    jobs.clear();
    for (const VecX& sample : samples) jobs.push_back(as_numbers(sample));
    executor.run(jobs, results);
    std::vector<double> costs;
    for (size_t k = 0; k < jobs.size(); ++k) {
      costs.push_back(results[k].at(0));
      if (costs.back() < best.cost) {
        best.cost = costs.back();
        best.x = jobs[k];
      }
      best.history.push_back(best.cost);
    }
    best.evaluations += static_cast<int>(jobs.size());
    strategy->tell(generation, samples, costs);
    ++generation;
    const auto save = [&] {
      Checkpoint out;
      Archive a(out);
      archive(a, *strategy);
      return out;
    };
    if (progress && !progress({best.evaluations, best.cost, strategy->step()}, save)) {
      best.interrupted = true;
      break;
    }
  }
  return best;
}

}  // namespace sinew
