import type { KeyState, Mark } from "./state.ts";

/** Adds a mark behind those of the same time. */
export function withMark(marks: readonly Mark[], mark: Mark): { marks: Mark[]; index: number } {
  let index = marks.length;
  while (index > 0 && Number(marks[index - 1]?.at) > mark.at) index -= 1;
  return { marks: marks.toSpliced(index, 0, mark), index };
}

export function findMark({ marks }: KeyState, id: string | undefined): Mark | undefined {
  return id === undefined ? undefined : marks.find((mark) => mark.id === id);
}

/** The marks that are not older than this. */
export function since(marks: Mark[], at: number): Mark[] {
  const first = marks.findIndex((mark) => mark.at >= at);
  if (first === 0) return marks;
  return first === -1 ? [] : marks.slice(first);
}

/**
 * At most as many marks as allowed. Of the older half each two become one, with their sum, at the later of their times:
 * so many small events do not push a large one out of the window. The ids of those are forgotten: see `floor`.
 */
export function bounded(state: KeyState, maxMarks: number): KeyState {
  if (state.marks.length <= maxMarks) return state;
  const older = state.marks.slice(0, Math.max(2, state.marks.length >> 1));
  const pairs: Mark[] = [];
  for (let index = 0; index < older.length; index += 2) {
    const [first, second] = older.slice(index, index + 2);
    if (first !== undefined) pairs.push(second === undefined ? first : joined(first, second));
  }
  const floor = Math.max(state.floor ?? 0, ...older.slice(-1).map((mark) => mark.at));
  return bounded({ ...state, floor, marks: [...pairs, ...state.marks.slice(older.length)] }, maxMarks);
}

function joined(first: Mark, second: Mark): Mark {
  const amount = [first, second].reduce((sum, mark) => sum + BigInt(mark.amount ?? 0), 0n);
  const hasAmount = first.amount !== undefined || second.amount !== undefined;
  return { at: second.at, n: first.n + second.n, ...(hasAmount ? { amount: String(amount) } : {}) };
}
