#pragma once

#include "floe/sdk/node.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace floe::fields {

/// What formulas may be made of; see namesOf().
struct Variables {
    double x = 0, y = 0, z = 0;    ///< position [m]
    double t = 0;                  ///< time since the first frame [s]
    double vx = 0, vy = 0, vz = 0; ///< velocity [m/s]; only in formulas that ask for it
};

/// The numbers that a node's parameters a, b, c and d have at a frame.
using Constants = std::array<double, 4>;

/// Formulas of position and time, read from the parameters of a node: "-z + a * sin(t)".
///
/// They have the operators and functions of the graph's expressions (+ - * / ^, comparisons, && ||,
/// ? :, sin, cos, ..., clamp, lerp, smoothstep, noise, rand). muParser computes them.
class Formulas {
public:
    struct Text {
        std::string parameter, formula;
    };
    enum class Velocity { unknown, known };

    /// @throws Failure  a formula cannot be read: names its parameter and the reason
    Formulas(std::vector<Text> texts, const Constants& constants, Velocity velocity);
    ~Formulas();
    Formulas(const Formulas&) = delete;
    Formulas& operator=(const Formulas&) = delete;

    /// Computes formulas; for one thread at a time. The values may be infinite or NaN.
    class Evaluator {
    public:
        virtual ~Evaluator() = default;
        Variables variables;
        virtual double value(std::size_t formula) = 0;
    };
    /// An evaluator of these formulas, which returns to them when it is destroyed. From any thread.
    class Lease {
    public:
        explicit Lease(const Formulas& formulas) : formulas_(formulas), evaluator_(formulas.take())
        {}
        ~Lease() { formulas_.giveBack(std::move(evaluator_)); }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        Evaluator* operator->() const { return evaluator_.get(); }

    private:
        const Formulas& formulas_;
        std::unique_ptr<Evaluator> evaluator_;
    };

    std::size_t count() const { return texts_.size(); }
    /// Name of the parameter that holds a formula.
    const std::string& parameter(std::size_t formula) const { return texts_[formula].parameter; }

private:
    std::unique_ptr<Evaluator> take() const;
    void giveBack(std::unique_ptr<Evaluator> evaluator) const;

    std::vector<Text> texts_;
    Constants constants_;
    Velocity velocity_;
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<Evaluator>> idle_; ///< under mutex_
};

/// The numbers of a node's parameters a, b, c and d at its frame.
Constants constantsOf(const sdk::Context& context);

} // namespace floe::fields
