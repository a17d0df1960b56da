import { createHash, timingSafeEqual } from "node:crypto";
import type { NodeAPI } from "node-red";
import { loadLibrary } from "../../../nodes/common/library.ts";
import { messageOf } from "../../../nodes/common/shared/errors.ts";
import { activity } from "../../../nodes/common/telemetry/activity.ts";
import type { IssueList } from "../issues/issue-list.ts";
import { CONTENT_TYPES, type Format } from "./exposition/text.ts";
import { Monitoring } from "./monitoring.ts";
import { FEWEST_CHARACTERS, monitoringSettings } from "./settings.ts";

/** Where requests come in, and which of them are answered. */
type Door = { app: NodeAPI["httpAdmin"]; guard: Guard };

/** Settings that decide who may ask. */
type Served = {
  adminAuth?: unknown;
  httpAdminRoot?: string | false;
  httpNodeRoot?: string | false;
  httpNodeAuth?: unknown;
};

/** Metrics and health, where a setting turns them on. Otherwise there are no endpoints, and nothing is counted. */
export function registerMonitoring(RED: NodeAPI, issues: IssueList, areFlowsRunning: () => boolean): void {
  const settings = monitoringSettings(RED);
  if (settings.kind === "off") return;
  if (settings.kind === "refused") {
    RED.log.error(RED._(settings.problem, { fewest: String(FEWEST_CHARACTERS) }));
    return;
  }
  const door = doorFor(RED, settings.token);
  if (door === undefined) return;
  const monitoring = new Monitoring({
    ...{ activity, issues, areFlowsRunning },
    say: (key, values) => RED._(key, values),
  });

  door.app.get("/crec/metrics", door.guard, (request, response) => {
    const format = formatFor(request.headers.accept);
    Promise.all([loadLibrary(), RED.version()])
      .then(([{ VERSION }, nodeRed]) =>
        monitoring.metrics(format, {
          ...{ version: VERSION, node_red_version: nodeRed, node_version: process.version },
        }),
      )
      .then(
        (text) => {
          // As it is: Express would add a second charset.
          response.setHeader("Content-Type", CONTENT_TYPES[format]);
          response.setHeader("Cache-Control", "no-store");
          response.end(text);
        },
        (thrown: unknown) => {
          RED.log.error(RED._("monitor.monitoring.failed", { error: messageOf(thrown) }));
          response.sendStatus(500);
        },
      );
  });
  door.app.get("/crec/health", door.guard, (_request, response) => {
    response.setHeader("Cache-Control", "no-store");
    try {
      const health = monitoring.health();
      response.status(health.status === "failing" ? 503 : 200).json(health);
    } catch (thrown) {
      // Express would answer with the stack, which names folders of this machine.
      RED.log.error(RED._("monitor.monitoring.health-failed", { error: messageOf(thrown) }));
      response.sendStatus(500);
    }
  });
  // Nothing of what a restart does not repair: it says only that the process answers.
  door.app.get("/crec/health/live", (_request, response) => {
    response.setHeader("Cache-Control", "no-store");
    response.json({ status: "ok" });
  });
}

/** The admin API; where it is off, the part of the server that flows use, with a token only. */
function doorFor(RED: NodeAPI, token: string | undefined): Door | undefined {
  const { adminAuth, httpAdminRoot, httpNodeRoot, httpNodeAuth } = RED.settings as Served;
  if (httpAdminRoot !== false) {
    const permitted = RED.auth.needsPermission("crec.read");
    if (token === undefined) return { app: RED.httpAdmin, guard: permitted };
    // Without a login, Node-RED permits everything to everyone, and the token would protect nothing.
    return { app: RED.httpAdmin, guard: tokenGuard(token, adminAuth ? permitted : undefined) };
  }
  if (httpNodeRoot === false) {
    RED.log.warn(RED._("monitor.monitoring.no-server"));
    return undefined;
  }
  if (token === undefined) {
    RED.log.error(RED._("monitor.monitoring.token-needed"));
    return undefined;
  }
  // One header cannot hold a name with a password and the token. A function of the settings may ask for something else.
  if (httpNodeAuth && typeof httpNodeAuth !== "function" && !Array.isArray(httpNodeAuth)) {
    RED.log.error(RED._("monitor.monitoring.password-too"));
    return undefined;
  }
  RED.log.info(RED._("monitor.monitoring.without-admin", { root: httpNodeRoot ?? "/" }));
  return { app: RED.httpNode, guard: tokenGuard(token, undefined) };
}

/** Lets a request pass, or answers it with 401. */
type Guard = ReturnType<NodeAPI["auth"]["needsPermission"]>;

/** For a request with this bearer token, and for those that `others` lets pass; all others are answered with 401. */
function tokenGuard(token: string, others: Guard | undefined): Guard {
  const expected = digest(token);
  return (request, response, next) => {
    const [, sent] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "") ?? [];
    // In constant time, so that the time of an answer says nothing about the token.
    if (sent !== undefined && timingSafeEqual(digest(sent), expected)) return next();
    if (others !== undefined) return others(request, response, next);
    response.set("WWW-Authenticate", 'Bearer realm="crec"').sendStatus(401);
  };
}

/** Of equal length for every text, as the comparison needs it. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

const OPEN_METRICS = "application/openmetrics-text";
const CLASSIC = ["text/plain", "text/*", "*/*"];

/**
 * The format that a request asks for: OpenMetrics where its `Accept` names it and prefers nothing else, otherwise the
 * classic one, which every tool reads.
 */
export function formatFor(accept: string | undefined): Format {
  const ranges = (accept ?? "").split(",").map(rangeOf);
  const weightOf = (types: readonly string[]) =>
    Math.max(0, ...ranges.filter(({ type }) => types.includes(type)).map(({ weight }) => weight));
  const wanted = weightOf([OPEN_METRICS]);
  return wanted > 0 && wanted >= weightOf(CLASSIC) ? "openmetrics" : "prometheus";
}

function rangeOf(text: string): { type: string; weight: number } {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="));
  const weight = quality === undefined ? 1 : Number(quality.slice("q=".length));
  return { type, weight: Number.isFinite(weight) ? weight : 0 };
}
