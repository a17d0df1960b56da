import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { hasPromtool, promtool } from "../../support/promtool.ts";
import { metricNames, namesIn } from "./metric-names.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const GRAFANA = join(root, "node_modules/@grafana/schema/dist/types");
const OPTIONS = (type: string) =>
  JSON.stringify(`${GRAFANA}/raw/composable/${type}/panelcfg/x/types.gen.d.ts`);

type Panel = {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: Array<{ expr: string }>;
};
type Dashboard = { panels: Panel[]; templating: { list: Array<{ name: string; query: unknown }> } };

/** Grafana's own types, where the enumerations of texts take the texts that are in JSON. */
const TYPES = `
import type { Dashboard, Panel, RowPanel } from ${JSON.stringify(`${GRAFANA}/index.d.ts`)};
import type { Options as Stat } from ${OPTIONS("stat")};
import type { Options as Table } from ${OPTIONS("table")};
import type { FieldConfig, Options as TimeSeries } from ${OPTIONS("timeseries")};
type Plain<T> = T extends string ? \`\${T}\` : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
type Of<Type extends string, Options, Custom> = Plain<Omit<Panel, "type" | "options" | "fieldConfig">> & {
  type: Type;
  options: Plain<Options>;
  fieldConfig: Plain<Omit<NonNullable<Panel["fieldConfig"]>, "defaults">> & {
    defaults: Plain<Omit<NonNullable<Panel["fieldConfig"]>["defaults"], "custom" | "mappings">> & {
      custom?: Plain<Custom>;
      mappings?: Plain<NonNullable<NonNullable<Panel["fieldConfig"]>["defaults"]["mappings"]>>;
    };
  };
};
type Known = Plain<RowPanel> | Of<"stat", Stat, never> | Of<"table", Table, never> | Of<"timeseries", TimeSeries, FieldConfig>;
type Ours = Plain<Omit<Dashboard, "panels">> & { panels: Known[] };
`;

/** What must not be accepted: a property or a value that Grafana does not know, and one that is missing. */
const WRONG = [
  ['"graphMode":"none"', '"graphMode":"nothing"'],
  ['"drawStyle":"line"', '"drawnStyle":"line"'],
  ['"type":"datasource"', '"type":"database"'],
  ['"schemaVersion":39,', ""],
] as const;

/** What the compiler says against it, and against a wrong one that is accepted; empty when nothing. */
async function complaints(dashboard: string): Promise<string> {
  // A directive holds for one line, and the compiler complains of one that is not needed.
  const line = JSON.stringify(JSON.parse(dashboard));
  const wrong = WRONG.map(([known, unknown], index) => {
    should(line).containEql(known);
    return `// @ts-expect-error\nexport const wrong${index}: Ours = ${line.replace(known, unknown)};`;
  });
  const program = [TYPES, `export const ours: Ours = ${dashboard};`, ...wrong].join("\n");
  const folder = await mkdtemp(join(tmpdir(), "crec-grafana-"));
  try {
    await writeFile(join(folder, "dashboard.ts"), `${program}\n`);
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const args = [tsc, "--noEmit", "--strict", "--skipLibCheck", "--types", "", "--module", "nodenext"];
    return spawnSync(process.execPath, [...args, "dashboard.ts"], { cwd: folder, encoding: "utf8" }).stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe("the Grafana dashboard", () => {
  let text: string;
  let dashboard: Dashboard;
  before(async () => {
    text = await readFile(join(root, "docs/monitoring/grafana-dashboard.json"), "utf8");
    dashboard = JSON.parse(text) as Dashboard;
  });
  const expressions = () => dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

  it("is as Grafana's own schema says, which takes no other property or value", async () => {
    should(await complaints(text)).equal("");
  });

  it("queries only metrics that exist, and shows each of them", () => {
    const queried = namesIn(JSON.stringify([expressions(), dashboard.templating.list]));
    should(queried).deepEqual(metricNames());
  });

  it("has expressions that Prometheus can read", async function () {
    if (!hasPromtool()) return this.skip();
    const rules = expressions().map((expr, index) => ({
      record: `panel_${index}`,
      expr: expr.replaceAll("$__rate_interval", "5m"),
    }));
    const folder = await mkdtemp(join(tmpdir(), "crec-panels-"));
    try {
      // Not by standard input: Debian's promtool reads rules from files only.
      const file = join(folder, "rules.json");
      await writeFile(file, JSON.stringify({ groups: [{ name: "panels", rules }] }));
      should(promtool(["check", "rules", file])).equal("");
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("has panels with unique ids and titles, side by side and within the page", () => {
    const { panels } = dashboard;
    for (const key of ["id", "title"] as const)
      should(new Set(panels.map((panel) => panel[key])).size).equal(panels.length);
    for (const [index, { gridPos: one, title }] of panels.entries()) {
      should(one.x + one.w).be.belowOrEqual(24, title);
      for (const { gridPos: other, title: otherTitle } of panels.slice(index + 1)) {
        const isApart =
          one.x + one.w <= other.x ||
          other.x + other.w <= one.x ||
          one.y + one.h <= other.y ||
          other.y + other.h <= one.y;
        should(isApart).equal(true, `${title} lies over ${otherTitle}`);
      }
    }
  });
});
