import {
  type EventReading,
  type EventReadings,
  eventReadings,
  isAmong,
  isReadAlike,
} from "../../../../nodes/common/contracts/event-readings.ts";
import { loadLibrary } from "../../../../nodes/common/library.ts";
import type { Abi } from "../../../../src/index.ts";
import { placeKey } from "../answer-cache.ts";
import { type Check, type CheckContext, type Finding, isSameService } from "../check-context.ts";
import { deployedContracts, type KnownWatcher, knownWatchers, verifyingNodes } from "../deployed.ts";

/** More is not a list that a person reads. */
const MOST = 50;

/** Of contract nodes, by their ABI: the check runs often. */
const readingsOfAbi = new WeakMap<Abi, EventReadings>();

/** Two watchers, or a watcher and the contract node of its address, do not read one event of a contract alike. */
export const watcherAbi: Check = {
  name: "watcher-abi",
  find: async (context) => {
    const watchers = knownWatchers(context).filter(({ id }) => context.answers.readings.get(id));
    const found = new Map<string, Finding>();
    for (const accepted of acceptances(watchers, context)) {
      for (const one of [
        ...amongWatchers(accepted, context),
        ...(await unlikeContracts(accepted, context)),
      ]) {
        if (found.size < MOST) found.set(`${one.case} ${one.origin.node} ${one.detail}`, one);
      }
    }
    return [...found.values()];
  },
};

/**
 * For each node that verifies events, the watchers that it accepts, and all of them where no node does: what a node never
 * accepts cannot mislead it, so that choosing accepted watchers ends the issue.
 */
function acceptances(watchers: readonly KnownWatcher[], context: CheckContext): KnownWatcher[][] {
  const sorted = watchers.toSorted(
    (one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1),
  );
  const services = new Set(watchers.map(({ channel }) => channel.connection.baseUrl));
  const nodes = verifyingNodes(context);
  return [...services].flatMap((service) => {
    const its = sorted.filter(({ channel }) => channel.connection.baseUrl === service);
    const verifying = nodes.filter(({ connection }) => isSameService(connection.baseUrl, service));
    if (verifying.length === 0 || verifying.some(({ accepted }) => accepted === undefined)) return [its];
    return verifying.map(({ accepted }) => its.filter(({ workflowId }) => accepted?.has(workflowId ?? "")));
  });
}

/** Each watcher is compared with the oldest one of the same event: so each that differs from another is named. */
function amongWatchers(watchers: readonly KnownWatcher[], { answers, flows }: CheckContext): Finding[] {
  type Read = { watcher: KnownWatcher; reading: EventReading };
  const oldest = new Map<string, Read>();
  const found = new Map<string, Finding>();
  for (const watcher of watchers) {
    for (const [topic, reading] of answers.readings.get(watcher.id)?.value ?? []) {
      const key = `${placeOf(watcher)} ${topic}`;
      const first = oldest.get(key) ?? { watcher, reading };
      oldest.set(key, first);
      const detail = `${first.watcher.id}:${watcher.id}`;
      if (isReadAlike(first.reading, reading) || found.has(detail)) continue;
      const origin = flows.originOf(watcher.channel.node);
      const [name, other] = namesOf(first.watcher, watcher);
      const values = { watcher: name, other, address: watcher.address };
      const texts = { reading: first.reading.text, otherReading: reading.text };
      const said = { values: { ...values, ...texts } };
      found.set(detail, { case: "watchers", severity: "error", origin, detail, ...said });
    }
  }
  return [...found.values()];
}

async function unlikeContracts(watchers: readonly KnownWatcher[], context: CheckContext): Promise<Finding[]> {
  const { flows, answers } = context;
  const found: Finding[] = [];
  for (const { node, contract, connection } of deployedContracts(context)) {
    const place = placeKey(connection.baseUrl, contract.chainSelector, contract.address);
    const its = watchers.filter((watcher) => placeOf(watcher) === place);
    // An ABI that cannot be read is an issue of the nodes that use it.
    const abi = its.length > 0 ? await contract.abi().catch(() => undefined) : undefined;
    if (!abi) continue;
    const readings = readingsOfAbi.get(abi) ?? eventReadings(abi, await loadLibrary());
    readingsOfAbi.set(abi, readings);
    for (const watcher of its) {
      for (const [topic, reading] of answers.readings.get(watcher.id)?.value ?? []) {
        const here = readings.get(topic);
        if (!here || isAmong(reading, here)) continue;
        const origin = flows.originOf(node);
        const values = { watcher: watcher.name, contract: origin.label };
        const texts = { reading: here.text, otherReading: reading.text };
        const said = { values: { ...values, ...texts } };
        found.push({ case: "contract", severity: "warning", origin, detail: watcher.id, ...said });
        break;
      }
    }
  }
  return found;
}

function placeOf({ channel, chainSelector, address }: KnownWatcher): string {
  return placeKey(channel.connection.baseUrl, chainSelector, address);
}

/** In two channels, watchers may have the same name. */
function namesOf(one: KnownWatcher, other: KnownWatcher): [string, string] {
  return one.name === other.name ? [one.id, other.id] : [one.name, other.name];
}

/** A node received one log with different parameters. Until Node-RED restarts. */
export const eventContradicts: Check = {
  name: "event-contradicts",
  find: ({ activity, flows }) => {
    const lastOfNode = new Map(activity.contradictions.all().map((one) => [one.node, one]));
    return [...lastOfNode.values()]
      .filter(({ node }) => flows.get(node))
      .map(({ log, seenAt: _seenAt, ...origin }): Finding => {
        return { case: "log", severity: "warning", origin, values: { node: origin.label, log } };
      });
  },
};
