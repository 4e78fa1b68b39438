#pragma once

#include "document/document.hpp"
#include "panels/number_field.hpp"
#include "panels/parameter_panel.hpp"
#include "panels/parameter_row.hpp"

#include <QApplication>
#include <QLineEdit>
#include <QMouseEvent>
#include <QTest>

#include <gtest/gtest.h>

namespace floe::test {

using panels::NumberField;
using panels::ParameterPanel;

/// The manifest of somebody's plugin with a parameter of each kind.
inline Json manifest()
{
    const auto parameter = [](const char* name, const char* type, Json value, Json more) {
        Json json = {{"name", name}, {"type", type}, {"default", std::move(value)}};
        json.update(more);
        return json;
    };
    Json node = {
        {"type", "them.all"}, {"version", 1}, {"label", "All kinds"}, {"category", "Them"}};
    node["help"] = "One of each.";
    node["parameters"] =
        Json::array({parameter("radius", "float", 0.5,
                               {{"unit", "m"},
                                {"min", 0},
                                {"max", 10},
                                {"softMin", 0},
                                {"softMax", 2},
                                {"label", "Radius"}}),
                     parameter("stiffness", "float", 1000.0,
                               {{"unit", "Pa"}, {"min", 1}, {"softMin", 1}, {"softMax", 1e9}}),
                     parameter("count", "int", 3, {{"min", 1}, {"max", 64}}),
                     parameter("on", "bool", true, Json::object()),
                     parameter("mode", "choice", "a",
                               {{"choices",
                                 {{{"value", "a"}, {"label", "Alpha"}},
                                  {{"value", "b"}, {"label", "Beta"}, {"help", "The second."}}}}}),
                     parameter("centre", "vector", {0, 1, 0}, {{"unit", "m"}, {"group", "Place"}}),
                     parameter("tone", "colour", {0.5, 0.5, 0.5}, {{"group", "Look"}}),
                     parameter("title", "string", "", {{"group", "Look"}}),
                     parameter("file", "path", "", {{"group", "Look"}}),
                     parameter("fixed", "float", 1.0, {{"animatable", false}}),
                     parameter("voxelSize", "float", 0.0,
                               {{"min", 0},
                                {"softMin", 0.005},
                                {"softMax", 0.1},
                                {"automatic", {{"follows", "cellSize"}, {"otherwise", 0.02}}}})});
    node["presets"] = Json::array(
        {{{"name", "big"}, {"label", "Big"}, {"values", {{"radius", 1.5}, {"count", 9}}}}});
    Json choosy = {{"type", "them.choosy"}, {"version", 1}, {"category", "Them"}};
    choosy["parameters"] = Json::array(
        {parameter("law", "choice", "sand",
                   {{"label", "Law"},
                    {"choices",
                     {{{"value", "sand"}, {"label", "Sand"}},
                      {{"value", "water"}, {"label", "Water"}}}}}),
         parameter("cohesion", "float", 0.0,
                   {{"group", "Grains"}, {"shownWhen", {{"law", "sand"}}}}),
         parameter("damp", "bool", false, {{"group", "Grains"}, {"shownWhen", {{"law", "sand"}}}}),
         parameter("viscosity", "float", 1.0,
                   {{"group", "Liquid"}, {"shownWhen", {{"law", "water"}}}}),
         parameter("clear", "float", 0.0, Json::object())});
    choosy["presets"] = Json::array(
        {{{"name", "sea"}, {"values", {{"law", "water"}, {"viscosity", 2}, {"clear", 0.5}}}},
         {{"name", "beach"}, {"values", {{"law", "sand"}, {"cohesion", 4}}}}});
    const Json particles = {{"name", "particles"}, {"kind", "particles"}};
    Json keeper = {{"type", "them.keeper"}, {"version", 1}, {"category", "Them"}};
    keeper["parameters"] = Json::array({parameter("outputF", "bool", false, {{"keeps", "F"}})});
    keeper["outputs"] = Json::array({particles});
    Json bend = {{"type", "them.bend"}, {"version", 1}, {"category", "Them"}, {"role", "sink"}};
    bend["inputs"] = Json::array({particles});
    bend["inputs"][0]["wants"] = Json::array({{{"attribute", "F"}}});
    return {{"format", 1},
            {"id", "them.kinds"},
            {"version", "1.0.0"},
            {"label", "Them"},
            {"license", "x"},
            {"abi", {{"major", 1}, {"minor", 0}}},
            {"library", "them_kinds"},
            {"nodes", Json::array({node, choosy, keeper, bend})}};
}

inline editor::Types types()
{
    auto library = std::make_shared<graph::TypeLibrary>();
    for (const auto& fault : library->addManifest(manifest(), "plugin.json"))
        ADD_FAILURE() << fault.text();
    return library;
}

/// A panel of one node of it, shown.
struct Panel : ::testing::Test {
    editor::Document document{types()};
    ParameterPanel panel{&document};
    std::string name;

    Panel()
    {
        name = document.addNode({}, "them.all", {});
        panel.resize(360, 900);
        panel.setNode({}, name);
        panel.show();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(&panel));
    }
    Json value(const char* parameter) const { return document.value({}, name, parameter); }
    NumberField* number(const char* parameter, std::size_t channel = 0)
    {
        return panel.row(parameter)->numbers()[channel];
    }
    void type(NumberField* field, const QString& text)
    {
        QTest::mouseClick(field, Qt::LeftButton);
        auto* line = field->findChild<QLineEdit*>();
        ASSERT_TRUE(line && line->isVisible());
        line->selectAll();
        QTest::keyClicks(line, text);
        QTest::keyClick(line, Qt::Key_Return);
    }
    void drag(NumberField* field, int pixels, Qt::KeyboardModifiers keys = {})
    {
        const QPoint from = field->rect().center();
        QTest::mousePress(field, Qt::LeftButton, keys, from);
        for (int i = 1; i <= 10; ++i) {
            QMouseEvent move(QEvent::MouseMove, from + QPoint(pixels * i / 10, 0),
                             field->mapToGlobal(from + QPoint(pixels * i / 10, 0)), Qt::LeftButton,
                             Qt::LeftButton, keys);
            QApplication::sendEvent(field, &move);
        }
        QTest::mouseRelease(field, Qt::LeftButton, keys, from + QPoint(pixels, 0));
    }
};

} // namespace floe::test
