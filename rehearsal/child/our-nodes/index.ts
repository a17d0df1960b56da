import type { NodeAPI } from "node-red";
import type { ChildHost } from "../host.ts";

/** Replaces our nodes that reach the service. */
export function registerOurNodes(_RED: NodeAPI, _host: ChildHost): void {}
