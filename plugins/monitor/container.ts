import { existsSync } from "node:fs";

const MARKS = ["/.dockerenv", "/run/.containerenv"];

export function isKubernetes(): boolean {
  return Boolean(process.env.KUBERNETES_SERVICE_HOST);
}

/** Whether this process runs in a container, also in one of Kubernetes. */
export function isContainer(): boolean {
  return isKubernetes() || MARKS.some((path) => existsSync(path));
}
