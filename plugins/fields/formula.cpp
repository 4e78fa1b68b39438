#include "formula.hpp"

#include "floe/sdk/formula.hpp"

#include <numbers>
#include <utility>

namespace floe::fields {

namespace {

using Functions = sdk::formula::NodeFunctions;

[[noreturn]] void refuse(const Formulas::Text& text, const std::string& why)
{
    constexpr std::size_t kShown = 80;
    const std::string shown =
        text.formula.size() <= kShown ? text.formula : text.formula.substr(0, kShown) + "...";
    throw sdk::Failure("parameter '" + text.parameter + "' is the formula '" + shown + "', " + why,
                       FLOE_BAD_ARGUMENT);
}

/// One parser for each formula, which all read the same variables.
class MuEvaluator final : public Formulas::Evaluator {
public:
    MuEvaluator(const std::vector<Formulas::Text>& texts, const Constants& constants,
                Formulas::Velocity velocity)
        : parsers_(texts.size())
    {
        for (std::size_t i = 0; i < texts.size(); ++i)
            prepare(parsers_[i], texts[i], constants, velocity);
    }

    double value(std::size_t formula) override { return parsers_[formula].Eval(); }

private:
    void prepare(mu::Parser& parser, const Formulas::Text& text, const Constants& constants,
                 Formulas::Velocity velocity)
    {
        if (text.formula.find_first_not_of(" \t\n") == std::string::npos)
            refuse(text, "which is empty; write 0 for none");
        if (const auto fault = sdk::formula::faultOf(text.formula))
            refuse(text, "which " + fault->text());
        std::string known = "x, y, z, t, a, b, c, d, pi";
        try {
            Functions::define(parser);
            parser.DefineVar("x", &variables.x);
            parser.DefineVar("y", &variables.y);
            parser.DefineVar("z", &variables.z);
            parser.DefineVar("t", &variables.t);
            if (velocity == Formulas::Velocity::known) {
                parser.DefineVar("vx", &variables.vx);
                parser.DefineVar("vy", &variables.vy);
                parser.DefineVar("vz", &variables.vz);
                known = "x, y, z, t, vx, vy, vz, a, b, c, d, pi";
            }
            const char* const names[] = {"a", "b", "c", "d"};
            for (std::size_t n = 0; n < constants.size(); ++n)
                parser.DefineConst(names[n], constants[n]);
            parser.DefineConst("pi", std::numbers::pi);
            parser.SetExpr(sdk::formula::onOneLine(text.formula));
            int results = 0;
            parser.Eval(results); // builds the bytecode
            if (results != 1)
                refuse(text, "which gives " + std::to_string(results) + " values instead of one");
        } catch (const mu::ParserError& error) {
            std::string why = "which cannot be read: " + sdk::formula::reasonOf(error);
            if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN)
                why += "; known names are " + known + " and the functions of expressions";
            refuse(text, why);
        }
    }

    std::vector<mu::Parser> parsers_;
};

} // namespace

Formulas::Formulas(std::vector<Text> texts, const Constants& constants, Velocity velocity)
    : texts_(std::move(texts)), constants_(constants), velocity_(velocity)
{
    giveBack(take()); // finds what is wrong with them
}

Formulas::~Formulas() = default;

std::unique_ptr<Formulas::Evaluator> Formulas::take() const
{
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            auto evaluator = std::move(idle_.back());
            idle_.pop_back();
            return evaluator;
        }
    }
    return std::make_unique<MuEvaluator>(texts_, constants_, velocity_);
}

void Formulas::giveBack(std::unique_ptr<Evaluator> evaluator) const
{
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(evaluator));
}

Constants constantsOf(const sdk::Context& context)
{
    return {context.number("a"), context.number("b"), context.number("c"), context.number("d")};
}

} // namespace floe::fields
