// Surfaces whose inside mirrors what is before them. Validation cases V10 and V15 have curved ones.

#include "plane.hpp"

#include <gtest/gtest.h>

using namespace floe::mpm;

namespace {

constexpr double h = 0.05;

enum class Floor { collider, domain };

/// Water in a tank whose sides are the domain's and whose floor is a collider's, or the domain's,
/// too.
class Tank {
public:
    /// @param floor  [cells]
    Tank(double floor, Contact contact, Floor kind = Floor::collider, SolverSettings settings = {})
        : floor_(floor * h)
    {
        settings.cellSize = h;
        settings.volumeByPosition = true;
        solver_ = makeCpuStepper(settings, serial_);
        solver_->setMaterials({material("liquid", 1000, {{"bulkModulus", 1e5}})});
        Domain sides;
        sides.bounded = true;
        sides.center = {0.1, kind == Floor::domain ? floor_ + 2 : 0, 0.1};
        sides.halfSize = {0.1, 2, 0.1};
        sides.faces.fill(Contact::slip);
        sides.faces[2] = contact;
        solver_->setDomain(sides);
        const auto plane = std::make_shared<Plane>(Vec3d{0, 1, 0}, floor_);
        plane->contact = contact;
        plane->friction = 0.3f;
        if (kind == Floor::collider) {
            solver_->setColliders({plane});
            solver_->recordContacts(floe::sdk::ContactCells{10.0});
        }
        solver_->addParticles(
            Lattice({0, floor_, 0}, {0.2, floor_ + 0.4, 0.2}, h, {2, 0, 0}).particles());
        run(*solver_, kTime);
    }

    /// By how much the lowest of it is lower than in the beginning [cells].
    double sunk() const
    {
        const Frame f(*solver_);
        double lowest = floor_ + h;
        for (std::size_t i = 0; i < f.id.size(); ++i)
            lowest = std::min(lowest, double{f.x[3 * i + 1]});
        return (floor_ - lowest) / h + 0.25;
    }
    /// What the floor has given, over what gravity has.
    double borne() const
    {
        double given = 0;
        for (const ColliderPush& push : solver_->takeContacts())
            given += push.impulse.y;
        return given / (0.2 * 0.4 * 0.2 * 1000 * 9.81 * kTime);
    }

private:
    static constexpr double kTime = 0.7; ///< [s]
    double floor_;
    SerialExecutor serial_;
    std::unique_ptr<Stepper> solver_;
};

} // namespace

// Wherever the floor lies between nodes, water ends there. Without images of what is above, it
// comes to rest where nodes no longer give way, which is farther down if one is closely above the
// floor.
TEST(ColliderImages, WaterEndsAtTheFloor)
{
    SolverSettings picFlip, localSteps;
    picFlip.transfer = Transfer::picFlip;
    localSteps.localTimeSteps = true; // without images
    for (const Contact contact : {Contact::slip, Contact::separate}) {
        for (const double floor : {0.0, 1e-4, 0.2, 0.45, 0.5, 0.7, 0.95, 1 - 1e-4})
            for (const Floor kind : {Floor::collider, Floor::domain})
                EXPECT_LT(Tank(floor, contact, kind).sunk(), 0.08) << floor;
        EXPECT_LT(Tank(0.7, contact, Floor::collider, picFlip).sunk(), 0.08);
    }
    EXPECT_GT(Tank(0.95, Contact::separate, Floor::collider, localSteps).sunk(), 0.2);
}

// What nodes before the floor get from it is recorded like what those in it get.
TEST(ColliderImages, TheFloorIsSaidToBearTheWeight)
{
    for (const Contact contact : {Contact::slip, Contact::separate})
        for (const double floor : {0.0, 0.2, 0.5, 0.7})
            EXPECT_NEAR(Tank(floor, contact).borne(), 1, 0.02) << floor;
}

// Sides that do not lie along the grid do so, too: of a box that is turned, into which water falls.
TEST(ColliderImages, WaterEndsAtTheSidesOfATurnedDomain)
{
    const double angle = 0.3;
    Domain box;
    box.bounded = true;
    box.halfSize = {0.3, 0.4, 0.1};
    box.axes.setColumn(0, {std::cos(angle), std::sin(angle), 0});
    box.axes.setColumn(1, {-std::sin(angle), std::cos(angle), 0});
    for (const Contact contact : {Contact::slip, Contact::separate}) {
        box.faces = {contact, contact, contact, contact, Contact::slip, Contact::slip};
        SolverSettings settings;
        settings.cellSize = h;
        settings.volumeByPosition = true;
        SerialExecutor serial;
        const auto solver = makeCpuStepper(settings, serial);
        solver->setMaterials({material("liquid", 1000, {{"bulkModulus", 1e5}})});
        solver->setDomain(box);
        solver->addParticles(
            Lattice({-0.2, -0.25, -0.1}, {0.15, 0.1, 0.1}, h, {2, 0, 0}).particles());
        run(*solver, 1.5);
        const Frame f(*solver);
        std::vector<double> behind;
        for (std::size_t i = 0; i < f.id.size(); ++i)
            for (int face = 0; face < 4; ++face)
                behind.push_back(
                    -box.distanceTo(face, {f.x[3 * i], f.x[3 * i + 1], f.x[3 * i + 2]}) / h);
        const auto few = behind.end() - static_cast<std::ptrdiff_t>(f.id.size() / 100 + 1);
        std::nth_element(behind.begin(), few, behind.end());
        EXPECT_LT(*few, 0.1) << static_cast<int>(contact);
    }
}
