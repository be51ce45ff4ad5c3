// What the gateway counts of itself, for Prometheus. Labels are words that the gateway knows, never what a client has sent.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Ask, FleetCensus } from '../ports/ask.ts';
import type { Share } from '../ports/lease.ts';
import type { Queue } from '../ports/queue.ts';
import type { HttpDependencies } from './dependencies.ts';
import { censusTimeoutMs } from './limits.ts';
import { within } from './within.ts';

export interface Metrics {
  /** Counts a request that has been answered. */
  countRequest(request: FastifyRequest, reply: FastifyReply): void;
  /** The same queue, and what it accepts is counted. */
  counted(queue: Queue): Queue;
  readonly contentType: string;
  /** Everything, as Prometheus reads it. Of the fleet nothing is told when it does not answer in time. */
  text(): Promise<string>;
}

const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function metrics({
  ask,
  clock,
  share,
  version,
}: Pick<HttpDependencies, 'ask' | 'clock' | 'share' | 'version'>): Metrics {
  const registry = new Registry();
  const registers = [registry];

  new Gauge({
    name: 'chargesim_info',
    help: 'The version of the program; always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  const requests = new Counter({
    name: 'chargesim_http_requests_total',
    help: 'HTTP requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'chargesim_http_request_duration_seconds',
    help: 'How long HTTP requests took to be answered.',
    labelNames: ['method', 'route'],
    buckets: durationBuckets,
    registers,
  });
  const commands = new Counter({
    name: 'chargesim_commands_accepted_total',
    help: 'Commands that were put on the queue, one for each charger.',
    labelNames: ['event_type'],
    registers,
  });
  const showCensus = censusMetrics(registers);
  if (share !== undefined) countShare(registers, share);

  return {
    countRequest(request, reply) {
      const { method } = request;
      const route = routeOf(request);
      requests.inc({ method, route, status: String(reply.statusCode) });
      durations.observe({ method, route }, reply.elapsedTime / 1000);
    },
    counted: (queue) => ({
      async enqueue(accepted, receipt) {
        await queue.enqueue(accepted, receipt);
        for (const { eventType } of accepted) commands.inc({ event_type: eventType });
      },
      refresh: (chargerIds) => queue.refresh(chargerIds),
      crowded: (chargerIds, depth) => queue.crowded(chargerIds, depth),
      pending: (chargerIds) => queue.pending(chargerIds),
      subscribe: (take) => queue.subscribe(take),
      open: (tenures) => queue.open(tenures),
      close: (tenures) => queue.close(tenures),
      settled: (commandIds) => queue.settled(commandIds),
    }),
    contentType: registry.contentType,
    async text() {
      showCensus(await within(clock, censusTimeoutMs, askCensus(ask), null));
      return `${await registry.metrics()}\n${await processMetrics().metrics()}`;
    },
  };
}

/** What no route takes has no name of its own: paths that clients make up are without number. */
function routeOf({ routeOptions: { config, url } }: FastifyRequest): string {
  return config.operation?.path ?? config.template ?? url ?? 'none';
}

/** Null when the fleet cannot tell. */
async function askCensus(ask: Ask): Promise<FleetCensus | null> {
  try {
    return await ask.census();
  } catch {
    return null;
  }
}

function censusMetrics(registers: Registry[]): (census: FleetCensus | null) => void {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const up = gauge('chargesim_fleet_up', 'Whether the fleet told its figures in time: 1 or 0.');
  const gauges = {
    alive: gauge('chargesim_fleet_processes', 'Fleet processes that answer.'),
    expected: gauge('chargesim_fleet_processes_expected', 'Fleet processes that should.'),
    running: gauge('chargesim_chargers_running', 'Chargers that run.'),
    connected: gauge('chargesim_chargers_connected', 'Chargers that are connected to their CSMS.'),
    partitions: gauge('chargesim_fleet_partitions', 'Of the 256 parts of a shared fleet, those that somebody runs.'),
  };
  const frames = new Counter({
    name: 'chargesim_ocpp_frames_total',
    help: 'OCPP frames that chargers received (in) and sent (out).',
    labelNames: ['direction'],
    registers,
  });
  const addIn = steadily((count) => frames.inc({ direction: 'in' }, count));
  const addOut = steadily((count) => frames.inc({ direction: 'out' }, count));

  return (census) => {
    up.set(census === null ? 0 : 1);
    if (census === null) {
      for (const each of Object.values(gauges)) each.remove();
      return;
    }
    gauges.alive.set(census.processes.alive);
    gauges.expected.set(census.processes.expected);
    gauges.running.set(census.running);
    gauges.connected.set(census.connected);
    if (census.partitions === undefined) gauges.partitions.remove();
    else gauges.partitions.set(census.partitions);
    addIn(census.framesIn);
    addOut(census.framesOut);
  };
}

/** Who owns what: each process tells of itself. */
function countShare(registers: Registry[], share: () => Share): void {
  new Gauge({
    name: 'chargesim_partitions_owned',
    help: 'Of the 256 parts of a shared fleet, those that this process runs.',
    registers,
    collect() {
      this.set(share().partitions);
    },
  });
  new Counter({
    name: 'chargesim_partition_changes_total',
    help: 'Parts of a shared fleet that this process has taken over (each under a new epoch), handed on, and lost.',
    labelNames: ['change'],
    registers,
    collect() {
      const { begun, released, lost } = share();
      this.reset();
      for (const [change, count] of Object.entries({ taken: begun, released, lost })) this.inc({ change }, count);
    },
  });
}

/** The fleet counts anew in each of its processes, so that its sum falls when one is restarted. What is told here never does. */
function steadily(add: (count: number) => void): (sum: number) => void {
  let last = 0;
  return (sum) => {
    add(Math.max(0, sum - last));
    last = sum;
  };
}

let ofThisProcess: Registry | null = null;

/** Of the process there is one, however many servers are in it. */
function processMetrics(): Registry {
  if (ofThisProcess === null) {
    ofThisProcess = new Registry();
    collectDefaultMetrics({ register: ofThisProcess, eventLoopMonitoringPrecision: 20 });
    // These three are nonsense when nothing was measured since the last look.
    for (const each of ['min', 'mean', 'stddev']) {
      ofThisProcess.removeSingleMetric(`nodejs_eventloop_lag_${each}_seconds`);
    }
  }
  return ofThisProcess;
}
