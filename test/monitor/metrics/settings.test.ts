import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NodeAPI } from "node-red";
import should from "should";
import { nodeRedContext } from "../../../nodes/common/context.ts";
import { activity } from "../../../nodes/common/telemetry/activity.ts";
import { monitoringSettings, registerMonitoring } from "../../../plugins/monitor/monitoring/register.ts";
import { listOf } from "./facts.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const TOKEN = "a-token-that-is-long-enough";

describe("the settings of monitoring", () => {
  const before = process.env.CREC_MONITORING_TOKEN;
  const setVariable = (value: string | undefined) => {
    if (value === undefined) delete process.env.CREC_MONITORING_TOKEN;
    else process.env.CREC_MONITORING_TOKEN = value;
  };
  beforeEach(() => setVariable(undefined));
  after(() => setVariable(before));

  const RED = (crec?: unknown) => ({ settings: { crec } }) as unknown as NodeAPI;
  const settings = (crec?: unknown) => monitoringSettings(RED(crec).settings);

  it("turn it on with a token, or for those with the permission", () => {
    should(settings({ monitoring: true })).deepEqual({ kind: "on", token: undefined });
    should(settings({ monitoring: { token: ` ${TOKEN} ` } })).deepEqual({ kind: "on", token: TOKEN });
    setVariable("of-the-environment");
    for (const crec of [undefined, { monitoring: true }, { monitoring: { token: TOKEN } }])
      should(settings(crec)).deepEqual({ kind: "on", token: "of-the-environment" });
  });

  it("leave it off where nothing is set", () => {
    setVariable(" ");
    for (const crec of [undefined, {}, { monitoring: false }, { monitoring: null }])
      should(settings(crec)).deepEqual({ kind: "off" });
  });

  it("are refused with a token that can be guessed, or something else", () => {
    const short = { kind: "refused", problem: "monitor.monitoring.short-token" };
    should(settings({ monitoring: { token: "x".repeat(15) } })).deepEqual(short);
    should(settings({ monitoring: { token: "" } })).deepEqual(short);
    should(settings({ monitoring: { token: "x".repeat(16) } })).have.property("kind", "on");
    const odd = { kind: "refused", problem: "monitor.monitoring.odd-token" };
    for (const token of [
      "a token that has spaces",
      "schlüssel-der-lang-genug-ist",
      "with-a-control\u0001-character",
    ])
      should(settings({ monitoring: { token } })).deepEqual(odd);
    const unknown = { kind: "refused", problem: "monitor.monitoring.unknown-setting" };
    for (const monitoring of ["yes", 1, {}, { token: 7 }, []])
      should(settings({ monitoring })).deepEqual(unknown);
    setVariable("short");
    should(settings({ monitoring: { token: TOKEN } })).deepEqual(short);
  });

  it("that are off or refused count nothing and serve nothing, and the log says what to set", () => {
    const { onFact } = activity;
    let listeners = 0;
    activity.onFact = () => {
      listeners += 1;
      return () => {};
    };
    const paths: string[] = [];
    const logged: string[] = [];
    const register = (crec: unknown) =>
      registerMonitoring({
        ...nodeRedContext({
          ...RED(crec),
          ...{ httpAdmin: { get: (path: string) => paths.push(path) }, _: (key: string) => key },
          ...{
            auth: { needsPermission: () => () => {} },
            log: { error: (text: string) => logged.push(text) },
          },
        } as unknown as NodeAPI),
        activity,
        issues: listOf([]),
        areFlowsRunning: () => true,
      });
    try {
      for (const monitoring of [undefined, "yes", { token: "short" }]) register({ monitoring });
      should([listeners, paths]).deepEqual([0, []]);
      should(logged).deepEqual(["monitor.monitoring.unknown-setting", "monitor.monitoring.short-token"]);
      register({ monitoring: true });
      should([listeners, paths]).deepEqual([1, ["/crec/metrics", "/crec/health", "/crec/health/live"]]);
    } finally {
      activity.onFact = onFact;
    }
  });

  it("answer without a stack where a node cannot say how it is", () => {
    type Handler = (request: object, response: object, next: () => void) => void;
    const handlers = new Map<string, Handler>();
    const [sent, logged]: [number[], string[]] = [[], []];
    const remove = activity.readers.add(() => {
      throw new Error("no state");
    });
    try {
      registerMonitoring({
        ...nodeRedContext({
          ...RED({ monitoring: true }),
          httpAdmin: { get: (path: string, ...all: Handler[]) => handlers.set(path, all.at(-1) as Handler) },
          _: (key: string, { error }: { error: string }) => `${key} ${error}`,
          auth: { needsPermission: () => () => {} },
          log: { error: (text: string) => logged.push(text) },
        } as unknown as NodeAPI),
        activity,
        issues: listOf([]),
        areFlowsRunning: () => true,
      });
      const response = { setHeader: () => {}, sendStatus: (status: number) => sent.push(status) };
      handlers.get("/crec/health")?.({}, response, () => {});
      should(sent).deepEqual([500]);
      should(logged).deepEqual(["monitor.monitoring.health-failed no state"]);
    } finally {
      remove();
    }
  });

  it("are named in the texts of the log", () => {
    const { monitor } = JSON.parse(
      readFileSync(join(root, "plugins/monitor/locales/en-US/monitor.json"), "utf8"),
    ) as { monitor: { monitoring: Record<string, string> } };
    should(monitor.monitoring["short-token"]).match(/__fewest__ characters.*CREC_MONITORING_TOKEN/);
    should(monitor.monitoring["unknown-setting"]).match(/crec\.monitoring in settings\.js/);
  });
});
