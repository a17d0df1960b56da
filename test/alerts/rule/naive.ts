/** An event of a test: its time in milliseconds, and its amount. */
export type Event = { id: string; at: number; amount: number };

export type Naive = { times: number; withinMs: number; quietMs: number } | SumRule;
type SumRule = { limit: number; withinMs: number; quietMs: number };

/** What a rule answers to events in their order, by keeping all of them. */
export function naiveAlerts(rule: Naive, events: readonly Event[]): string[] {
  const kept: Array<Event & { isUsed: boolean }> = [];
  const alerts: number[] = [];
  let suppressed = 0;
  return events.map((event) => {
    if (kept.some(({ id }) => id === event.id)) return "seen";
    kept.push({ ...event, isUsed: false });
    const window = kept.filter(({ at, isUsed }) => at > event.at - rule.withinMs && !isUsed);
    if (!isReached(rule, window)) return "counted";
    if (alerts.some((at) => event.at - at < rule.quietMs)) {
      suppressed += 1;
      return "quiet";
    }
    const answer = [
      `alert at ${event.at}`,
      ...(window.length === 1 ? [] : [`count ${window.length}`]),
      ...("limit" in rule ? [`sum ${sumOf(window)}`] : []),
      ...(suppressed === 0 ? [] : [`suppressed ${suppressed}`]),
    ].join(" ");
    alerts.push(event.at);
    suppressed = 0;
    if (rule.quietMs === 0) for (const one of window) one.isUsed = true;
    return answer;
  });
}

/** What a rule that recovers answers to events in their order, by looking at each millisecond. */
export function naiveStates(
  { times, withinMs }: { times: number; withinMs: number },
  events: readonly Event[],
  upTo: number,
): string[] {
  const changes: string[] = [];
  let isActive = false;
  for (let now = 0; now <= upTo; now += 1) {
    const inWindow = (one: Event) => one.at > now - withinMs && one.at <= now;
    const before = events.filter((one) => inWindow(one) && one.at < now).length;
    const all = events.filter(inWindow).length;
    if (!isActive && all >= times && all > before) changes.push(`alert at ${now}`);
    if (isActive && all < times) changes.push(`recovered at ${now}`);
    isActive = isActive ? all >= times : all >= times && all > before;
  }
  return changes;
}

/** The windows that hold as many as the limit, each with its events. */
export function reachedWindows(rule: Naive, events: readonly Event[]): Event[][] {
  return events
    .map((end) => events.filter(({ at }) => at > end.at - rule.withinMs && at <= end.at))
    .filter((window) => isReached(rule, window));
}

function isReached(rule: Naive, window: readonly Event[]): boolean {
  return "limit" in rule ? sumOf(window) >= rule.limit : window.length >= rule.times;
}

function sumOf(window: readonly Event[]): number {
  return window.reduce((sum, { amount }) => sum + amount, 0);
}
