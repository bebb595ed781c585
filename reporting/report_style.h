// The style sheet of HTML pages; follows the reader's choice of light or dark.
#pragma once

namespace dietmt::reporting {

inline constexpr const char* kReportStyle = R"css(
:root { color-scheme: light dark;
  --page: #f6f7f9; --panel: #ffffff; --ink: #1c2430; --soft: #5b6675; --rule: #e1e5ea;
  --s0: #2563c9; --s1: #d9601a; --s2: #17806d; --s3: #8b4bb8; --best: #a86400; }
@media (prefers-color-scheme: dark) { :root {
  --page: #12161c; --panel: #1b2129; --ink: #e6eaf0; --soft: #9aa6b5; --rule: #2d3540;
  --s0: #6ea8ff; --s1: #ff9d5c; --s2: #4fd0b5; --s3: #cf9cf2; --best: #ffc457; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 24px 16px 48px; }
h1 { font-size: 1.5rem; margin: 0 0 16px; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 28px 0 10px; }
h3 { font-size: .95rem; margin: 0 0 4px; color: var(--soft); }
.cards { display: grid; gap: 12px; margin-bottom: 16px;
  grid-template-columns: repeat(auto-fit, minmax(145px, 1fr)); }
.card, figure, .scroll, .settings > div { background: var(--panel); border: 1px solid var(--rule);
  border-radius: 10px; }
.card { padding: 10px 14px; }
.card .name, .card .note { color: var(--soft); font-size: .85rem; }
.card .value { font-size: 1.45rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.charts { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); }
figure { margin: 0; padding: 12px 12px 8px; }
figcaption { font-weight: 600; margin: 0 0 6px 4px; }
svg { display: block; width: 100%; height: auto; font-size: 12px; fill: var(--ink); }
.grid { stroke: var(--rule); } .axis { stroke: var(--soft); }
.tick, .label { fill: var(--soft); } .tick, .readout { font-variant-numeric: tabular-nums; }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.mark { fill: var(--panel); stroke-width: 2; }
.s0 { stroke: var(--s0); } .s1 { stroke: var(--s1); } .s2 { stroke: var(--s2); } .s3 { stroke: var(--s3); }
.d1 { stroke-dasharray: 7 3; } .d2 { stroke-dasharray: 2 3; } .d3 { stroke-dasharray: 9 3 2 3; }
.dot { fill: currentColor; stroke: none; }
.dot.s0 { fill: var(--s0); } .dot.s1 { fill: var(--s1); } .dot.s2 { fill: var(--s2); } .dot.s3 { fill: var(--s3); }
.strip rect { fill: transparent; } .strip g { display: none; pointer-events: none; }
.strip:hover g { display: inline; } .strip line { stroke: var(--soft); stroke-dasharray: 3 3; }
.maps { display: grid; gap: 10px; margin-bottom: 16px;
  grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); }
.maps figure { padding: 8px; } .maps figcaption { margin: 6px 0 0; font-size: .85rem; }
.maps figcaption span { color: var(--soft); font-weight: 400; display: block;
  font-variant-numeric: tabular-nums; }
.heat { background: var(--page); shape-rendering: crispEdges; stroke-width: 1; fill: none; }
.up { stroke: var(--s1); } .down { stroke: var(--s0); }
.scroll { overflow: auto; max-height: 620px; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 5px 12px; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
tr:last-child > * { border-bottom: 0; }
.scores th, .scores td { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.scores thead th { position: sticky; top: 0; background: var(--panel); color: var(--soft); }
.best { color: var(--best); font-weight: 600; }
.facts { color: var(--soft); margin: -10px 0 16px; overflow-wrap: anywhere; }
section + .facts { margin-top: 8px; } section.charts { margin-top: 16px; }
.settings { display: grid; gap: 16px; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); }
.settings > div { padding: 12px; }
.settings th { font-weight: 400; color: var(--soft); width: 45%; padding-left: 0; }
.settings td { overflow-wrap: anywhere; padding-right: 0; }
@media (max-width: 520px) { main { padding: 16px 10px 32px; } figure { padding: 10px 4px 6px; }
  figcaption { margin-left: 10px; } svg { font-size: 14px; }
  .scores { font-size: .85rem; } .scores th, .scores td { padding: 4px 5px; }
  .scores thead th { white-space: normal; } }
)css";

}  // namespace dietmt::reporting
