import type { Step } from "./steps.ts";

/** Worlds in which an alert was once missing, raised twice with the same id, or wrongly taken back. */
export const KNOWN_WORLDS: ReadonlyArray<readonly Step[]> = [
  [
    { does: "mine", emits: [1], late: [0] },
    { does: "mine", emits: [], late: [0] },
    { does: "mine", emits: [5], late: [0] },
    { does: "wait", ms: 36270 },
    { does: "reorganize", depth: 3, blocks: 1, keeps: [0], emits: [0], late: [0, 0, 23731] },
    { does: "reorganize", depth: 2, blocks: 4, keeps: [3], emits: [0], late: [0] },
    { does: "reorganize", depth: 1, blocks: 4, keeps: [0], emits: [0], late: [0] },
  ],
  [
    { does: "mine", emits: [1], late: [0] },
    { does: "reorganize", depth: 2, blocks: 4, keeps: [1], emits: [3, 2], late: [0] },
    { does: "reorganize", depth: 3, blocks: 3, keeps: [1], emits: [1, 0], late: [0] },
    { does: "mine", emits: [], late: [0] },
    { does: "reorganize", depth: 4, blocks: 4, keeps: [0], emits: [0], late: [0] },
    { does: "reorganize", depth: 1, blocks: 2, keeps: [0], emits: [0], late: [0] },
    { does: "wait", ms: 60000 },
    { does: "redeliver", which: 48 },
  ],
  [
    { does: "mine", emits: [7, 1], late: [1] },
    { does: "reorganize", depth: 1, blocks: 4, keeps: [1], emits: [0], late: [1] },
    { does: "reorganize", depth: 3, blocks: 2, keeps: [1, 0], emits: [2, 3], late: [1] },
    { does: "reorganize", depth: 3, blocks: 3, keeps: [2, 1], emits: [6], late: [0, 1, 1, 1] },
    { does: "mine", emits: [], late: [0] },
    { does: "mine", emits: [], late: [0] },
    { does: "mine", emits: [], late: [1] },
    { does: "mine", emits: [5, 3], late: [1] },
    { does: "wait", ms: 60001 },
    { does: "redeliver", which: 88 },
  ],
  [
    { does: "mine", emits: [1], late: [0] },
    { does: "mine", emits: [1], late: [0] },
    { does: "reorganize", depth: 1, blocks: 3, keeps: [0], emits: [0], late: [0, 60000, 0] },
  ],
  [
    { does: "reorganize", depth: 1, blocks: 1, keeps: [0], emits: [2, 0], late: [0] },
    { does: "reorganize", depth: 1, blocks: 2, keeps: [1], emits: [3], late: [0] },
    { does: "reorganize", depth: 1, blocks: 4, keeps: [0], emits: [6], late: [59999, 0] },
    { does: "mine", emits: [], late: [30000, 0] },
  ],
  [
    { does: "mine", emits: [3], late: [0] },
    { does: "mine", emits: [], late: [0] },
    { does: "reorganize", depth: 2, blocks: 4, keeps: [3, 0], emits: [0], late: [0] },
    { does: "reorganize", depth: 1, blocks: 3, keeps: [0], emits: [6], late: [2, 0] },
    { does: "mine", emits: [], late: [0] },
    { does: "mine", emits: [1, 1], late: [1, 0] },
  ],
  [{ does: "reorganize", depth: 1, blocks: 2, keeps: [1], emits: [13, 0], late: [0] }],
  [
    { does: "wait", ms: 120000 },
    { does: "reorganize", depth: 1, blocks: 2, keeps: [1], emits: [9, 0], late: [0] },
    { does: "reorganize", depth: 2, blocks: 1, keeps: [0], emits: [0], late: [0] },
    { does: "mine", emits: [1], late: [0] },
    { does: "reorganize", depth: 1, blocks: 4, keeps: [0], emits: [1], late: [0, 59999] },
  ],
];
