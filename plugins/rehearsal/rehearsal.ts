import type { NodeAPI } from "node-red";

export default function register(_RED: NodeAPI): void {}
