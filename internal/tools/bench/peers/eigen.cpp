// Predict and update by stochastic gradient with random Fourier features, in Eigen.
#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <random>
#include <vector>

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

static double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * double(t.tv_sec) + double(t.tv_nsec);
}

static double median(const std::function<void()>& step, int samples) {
  long calls = 1;
  for (;; calls *= 2) {
    double t = now();
    for (long i = 0; i < calls; i++) step();
    if (now() - t > 2e6) break;
  }
  std::vector<double> ns;
  for (int run = 0; run < 9; run++) {
    double t = now();
    for (long i = 0; i < calls; i++) step();
    ns.push_back((now() - t) / double(calls) / samples);
  }
  std::sort(ns.begin(), ns.end());
  return ns[ns.size() / 2];
}

int main() {
  const int samples = 512, block = 16;
  const double mu = 0.5;
  const int shapes[][3] = {{5, 100, 5}, {18, 100, 18}, {31, 100, 31}, {3, 300, 3}, {31, 100, 93}, {100, 1000, 100}};
  std::printf("| outputs, frequencies, inputs | one by one, ns a sample | mini-batch of %d |\n| --- | ---: | ---: |\n", block);
  for (auto& s : shapes) {
    const int d = s[0], D = s[1], m = s[2];
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    auto draw = [&] { return normal(random); };
    MatrixXd x = MatrixXd::NullaryExpr(m, samples, draw), y(d, samples);
    for (int t = 0; t < samples; t++)
      for (int i = 0; i < d; i++) y(i, t) = std::sin(x(i % m, t));
    Rows w = Rows::NullaryExpr(D, m, draw), theta = Rows::Zero(d, 2 * D);
    const double scale = 1 / std::sqrt(double(D));

    VectorXd angle(D), phi(2 * D), e(d);
    int t = 0;
    double one = median([&] {
      angle.noalias() = w * x.col(t);
      phi.head(D) = scale * angle.array().cos();
      phi.tail(D) = scale * angle.array().sin();
      e = y.col(t);
      e.noalias() -= theta * phi;
      e *= mu;
      theta.noalias() += e * phi.transpose();
      t = (t + 1) % samples;
    }, 1);

    MatrixXd angles(D, block), phis(2 * D, block), es(d, block);
    theta.setZero();
    t = 0;
    double many = median([&] {
      angles.noalias() = w * x.middleCols(t, block);
      phis.topRows(D) = scale * angles.array().cos();
      phis.bottomRows(D) = scale * angles.array().sin();
      es = y.middleCols(t, block);
      es.noalias() -= theta * phis;
      theta.noalias() += (mu / block) * es * phis.transpose();
      t = (t + block) % samples;
    }, block);
    std::printf("| %d, %d, %d | %.0f | %.0f |\n", d, D, m, one, many);
  }
}
