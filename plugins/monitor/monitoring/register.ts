import { createHash, timingSafeEqual } from "node:crypto";
import type { NodeAPI } from "node-red";
import type { NodeRedContext } from "../../../nodes/common/context.ts";
import { loadLibrary } from "../../../nodes/common/library.ts";
import { messageOf } from "../../../nodes/common/shared/errors.ts";
import type { MonitorContext } from "../context.ts";
import { CONTENT_TYPES, type Format } from "./exposition.ts";
import { Monitoring } from "./monitoring.ts";

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
export function registerMonitoring(monitor: MonitorContext): void {
  const { RED, t } = monitor;
  const settings = monitoringSettings(RED.settings);
  if (settings.kind === "off") return;
  if (settings.kind === "refused") {
    RED.log.error(t(settings.problem, { fewest: String(FEWEST_CHARACTERS) }));
    return;
  }
  const door = doorFor(monitor, settings.token);
  if (door === undefined) return;
  const monitoring = new Monitoring(monitor);

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
          RED.log.error(t("monitor.monitoring.failed", { error: messageOf(thrown) }));
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
      RED.log.error(t("monitor.monitoring.health-failed", { error: messageOf(thrown) }));
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
function doorFor(nodeRed: NodeRedContext, token: string | undefined): Door | undefined {
  const { RED, t } = nodeRed;
  const { adminAuth, httpAdminRoot, httpNodeRoot, httpNodeAuth } = RED.settings as Served;
  if (httpAdminRoot !== false) {
    const permitted = RED.auth.needsPermission("crec.read");
    if (token === undefined) return { app: RED.httpAdmin, guard: permitted };
    // Without a login, Node-RED permits everything to everyone, and the token would protect nothing.
    return { app: RED.httpAdmin, guard: tokenGuard(token, adminAuth ? permitted : undefined) };
  }
  if (httpNodeRoot === false) {
    RED.log.warn(t("monitor.monitoring.no-server"));
    return undefined;
  }
  if (token === undefined) {
    RED.log.error(t("monitor.monitoring.token-needed"));
    return undefined;
  }
  // One header cannot hold a name with a password and the token. A function of the settings may ask for something else.
  if (httpNodeAuth && typeof httpNodeAuth !== "function" && !Array.isArray(httpNodeAuth)) {
    RED.log.error(t("monitor.monitoring.password-too"));
    return undefined;
  }
  RED.log.info(t("monitor.monitoring.without-admin", { root: httpNodeRoot ?? "/" }));
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

/** What a header carries as it is, without spaces: any other token could never be sent. */
const SENDABLE = /^[\x21-\x7e]+$/;
/** Shorter ones can be guessed. */
const FEWEST_CHARACTERS = 16;

type MonitoringSettings =
  | { kind: "off" }
  /** Without a token, the permission `crec.read` of the admin API is required. */
  | { kind: "on"; token: string | undefined }
  /** What is set cannot be used: nothing is served. */
  | { kind: "refused"; problem: `monitor.monitoring.${"short-token" | "odd-token" | "unknown-setting"}` };

/**
 * Whether metrics and health are served, and to whom: `CREC_MONITORING_TOKEN`, else `crec.monitoring` of settings.js,
 * which is `true` or `{ token: "…" }`.
 */
export function monitoringSettings(settings: NodeAPI["settings"]): MonitoringSettings {
  const { crec } = settings as NodeAPI["settings"] & { crec?: { monitoring?: unknown } };
  // A host may set a variable to nothing.
  const variable = process.env.CREC_MONITORING_TOKEN?.trim();
  if (variable) return withToken(variable);
  const setting = crec?.monitoring;
  if (setting === undefined || setting === null || setting === false) return { kind: "off" };
  if (setting === true) return { kind: "on", token: undefined };
  const { token } = setting as { token?: unknown };
  return typeof token === "string"
    ? withToken(token.trim())
    : { kind: "refused", problem: "monitor.monitoring.unknown-setting" };
}

function withToken(token: string): MonitoringSettings {
  if (token.length < FEWEST_CHARACTERS) return { kind: "refused", problem: "monitor.monitoring.short-token" };
  if (!SENDABLE.test(token)) return { kind: "refused", problem: "monitor.monitoring.odd-token" };
  return { kind: "on", token };
}
