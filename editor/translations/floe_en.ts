<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>floe::editor::Canvas</name>
    <message numerus="yes">
        <source>%n wire(s) made to what was free; undo takes them back</source>
        <translation>
            <numerusform>%n wire made to what was free; undo takes it back</numerusform>
            <numerusform>%n wires made to what was free; undo takes them back</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>On disk: %n frame(s) of %1.</source>
        <translation>
            <numerusform>On disk: %n frame of %1.</numerusform>
            <numerusform>On disk: %n frames of %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n stale one(s) will be made anew: what led to them has changed.</source>
        <translation>
            <numerusform>%n stale one will be made anew: what led to it has changed.</numerusform>
            <numerusform>%n stale ones will be made anew: what led to them has changed.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>floe::editor::ComparePanel</name>
    <message numerus="yes">
        <source>%n difference(s) from %1</source>
        <translation>
            <numerusform>%n difference from %1</numerusform>
            <numerusform>%n differences from %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n value(s) were changed here and in %1: choose one for each.</source>
        <translation>
            <numerusform>%n value was changed here and in %1: choose one.</numerusform>
            <numerusform>%n values were changed here and in %1: choose one for each.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>floe::editor::CostEstimate</name>
    <message numerus="yes">
        <source>%n frames in %1</source>
        <translation>
            <numerusform>%n frame in %1</numerusform>
            <numerusform>%n frames in %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>floe::editor::Document</name>
    <message numerus="yes">
        <source>Paste %n node(s)</source>
        <translation>
            <numerusform>Paste %n node</numerusform>
            <numerusform>Paste %n nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %n node(s)</source>
        <translation>
            <numerusform>Delete %n node</numerusform>
            <numerusform>Delete %n nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n node(s)</source>
        <translation>
            <numerusform>Move %n node</numerusform>
            <numerusform>Move %n nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Group %n node(s)</source>
        <translation>
            <numerusform>Group %n node</numerusform>
            <numerusform>Group %n nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cut %n wire(s)</source>
        <translation>
            <numerusform>Cut %n wire</numerusform>
            <numerusform>Cut %n wires</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Set %1 of %n nodes</source>
        <translation>
            <numerusform>Set %1 of %n node</numerusform>
            <numerusform>Set %1 of %n nodes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>floe::editor::MainWindow</name>
    <message numerus="yes">
        <source>%n error(s)</source>
        <translation>
            <numerusform>%n error</numerusform>
            <numerusform>%n errors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <translation>
            <numerusform>%n warning</numerusform>
            <numerusform>%n warnings</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>floe::editor::RunCost</name>
    <message numerus="yes">
        <source>A frame takes %1 s here, and %n frames %2, without pictures and files.</source>
        <translation>
            <numerusform>A frame takes %1 s here, and %n frame %2, without pictures and files.</numerusform>
            <numerusform>A frame takes %1 s here, and %n frames %2, without pictures and files.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>floe::editor::Studio</name>
    <message numerus="yes">
        <source>%n node type(s) found</source>
        <translation>
            <numerusform>%n node type found</numerusform>
            <numerusform>%n node types found</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>floe::editor::VariantsPanel</name>
    <message numerus="yes">
        <source>%n variant(s) of &apos;%1&apos;</source>
        <translation>
            <numerusform>%n variant of &apos;%1&apos;</numerusform>
            <numerusform>%n variants of &apos;%1&apos;</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>floe::panels::DopeSheet</name>
    <message numerus="yes">
        <source>%n parameter(s) with keys</source>
        <translation>
            <numerusform>%n parameter with keys</numerusform>
            <numerusform>%n parameters with keys</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>floe::panels::ParameterPanel</name>
    <message numerus="yes">
        <source>%n nodes</source>
        <translation>
            <numerusform>%n node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>floe::views::Spreadsheet</name>
    <message numerus="yes">
        <source>%Ln row(s)</source>
        <translation>
            <numerusform>%Ln row</numerusform>
            <numerusform>%Ln rows</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>floe::views::Viewport</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
</TS>
