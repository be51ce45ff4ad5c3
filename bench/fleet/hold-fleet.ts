// Brings a whole fleet up over HTTP, holds it, and sees what becomes of it.

import type { Bench } from '../bench.ts';
import { type Version, versions } from '../bench-case.ts';
import { type Gateway, Installation } from '../gateway.ts';
import { cpuMsOf, processesOf, pssKbOf } from '../readings.ts';
import { Stub } from '../stub.ts';
import type { FleetResult, ProcessUse } from './fleet-report.ts';
import { type Commanded, Probe } from './probe.ts';

export interface FleetOptions {
  readonly chargers: number;
  readonly charging: number;
  readonly minutes: number;
}

const heartbeatS = 60;
const meterValuesS = 10;
/** A process may not have more than about 20 000 files open, and a location not more than 2 000 chargers. */
const chargersPerStub = 15_000;
const chargersPerLocation = 2_000;
const chargersPerSourceAddress = 20_000;
/** So that small fleets have all versions and all destinations too. */
const fewestLocations = 6;
/** A template of two chargers, each with one connector. */
const template = { slug: 'home-duo', chargers: 2 };
const commandedPerLocation = 50;

interface Location {
  readonly id: string;
  readonly version: Version;
  readonly chargers: number;
}

export async function holdFleet(bench: Bench, options: FleetOptions): Promise<FleetResult> {
  const { chargers, charging, minutes } = options;
  const stub = await Stub.start(bench, Math.max(3, Math.ceil(chargers / chargersPerStub)));
  stub.setHeartbeat(heartbeatS);
  const sources = Math.max(2, Math.ceil(chargers / chargersPerSourceAddress));
  const installation = new Installation(bench, 'fleet', {
    WORKERS: 'auto',
    SOURCE_ADDRESSES: Array.from({ length: sources }, (_, index) => `127.0.1.${index + 1}`).join(','),
  });
  bench.stage('starting the gateway');
  const gateway = await installation.listening();
  const startedMs = performance.now();
  const since = await stub.counts();
  const { cpoId, locations } = await createLocations(bench, gateway, stub, chargers);
  bench.stage(`waiting for ${chargers} chargers`);
  await stub.untilHeard(since, chargers, 'BootNotification');
  const bootS = (performance.now() - startedMs) / 1_000;
  const chosen = locations.filter((_, index) => sumOf(locations.slice(0, index)) < charging);
  await startSessions(bench, gateway, stub, chosen);
  const accepted = await readyOf(gateway, cpoId, locations);

  bench.stage(`holding ${chargers} chargers for ${minutes} min`);
  const probe = new Probe(gateway, await commandedOf(gateway, chosen.length === 0 ? locations : chosen));
  const before = await stub.counts();
  const watching = watchProcesses(gateway);
  const fromMs = performance.now();
  const untilMs = fromMs + minutes * 60_000;
  const telling = setInterval(() => tell(bench, fromMs, untilMs), 1_000);
  try {
    await probe.run(bench, untilMs);
  } finally {
    clearInterval(telling);
  }
  const processes = watching();
  const after = await stub.counts();
  return {
    chargers,
    charging: sumOf(chosen),
    minutes,
    accepted,
    bootS,
    dropped: chargers - after.open,
    reconnected: after.opened - before.opened,
    missedHeartbeats: after.silences - before.silences,
    processes,
    commands: probe.commands,
    reads: probe.reads,
  };
}

const sumOf = (locations: readonly Location[]): number => locations.reduce((sum, { chargers }) => sum + chargers, 0);

function tell(bench: Bench, fromMs: number, untilMs: number): void {
  const nowMs = performance.now();
  bench.detail(`${Math.round((untilMs - nowMs) / 1_000)} s to go`, (nowMs - fromMs) / (untilMs - fromMs));
}

async function createLocations(
  bench: Bench,
  gateway: Gateway,
  { urls }: Stub,
  chargers: number,
): Promise<{ readonly cpoId: string; readonly locations: readonly Location[] }> {
  bench.stage(`creating ${chargers} chargers`);
  const cpo = { name: 'Bench', country_code: 'NL', party_id: 'BEN' };
  const { id: cpoId } = (await gateway.post('/ocpi/cpos', cpo)) as { readonly id: string };
  const each = Math.min(chargersPerLocation, roundUp(chargers / fewestLocations));
  const locations: Location[] = [];
  for (let created = 0; created < chargers; ) {
    const count = roundUp(Math.min(each, chargers - created));
    const index = locations.length;
    const version = versions[index % versions.length] ?? '1.6';
    const { location } = (await gateway.post(`/ocpi/cpos/${cpoId}/locations`, {
      template: template.slug,
      count_multiplier: count / template.chargers,
      ocpp_version: version,
      ws_url: urls[index % urls.length],
      identity_prefix: `FLEET-${index}`,
    })) as { readonly location: { readonly id: string } };
    locations.push({ id: location.id, version, chargers: count });
    created += count;
    bench.detail(`${created}`, created / chargers);
  }
  return { cpoId, locations };
}

const roundUp = (chargers: number): number => Math.ceil(chargers / template.chargers) * template.chargers;

async function startSessions(
  bench: Bench,
  gateway: Gateway,
  stub: Stub,
  locations: readonly Location[],
): Promise<void> {
  bench.stage(`starting ${sumOf(locations)} sessions`);
  const since = await stub.counts();
  for (const { id, version } of locations) {
    const setting =
      version === '1.6'
        ? { key: 'MeterValueSampleInterval' }
        : { component: 'SampledDataCtrlr', variable: 'TxUpdatedInterval' };
    await gateway.command('set-configuration', { location_id: id }, { ...setting, value: String(meterValuesS) });
    await gateway.command('start-session', { location_id: id }, { id_tag: 'DEADBEEF' });
  }
  await stub.untilHeard(since, sumOf(locations), 'Authorize');
}

async function readyOf(gateway: Gateway, cpoId: string, locations: readonly Location[]): Promise<number> {
  let ready = 0;
  for (const { id } of locations) {
    const progress = (await gateway.get(`/ocpi/cpos/${cpoId}/locations/${id}/provisioning`)) as {
      readonly ready: number;
    };
    ready += progress.ready;
  }
  return ready;
}

async function commandedOf(gateway: Gateway, locations: readonly Location[]): Promise<readonly Commanded[]> {
  const pages = locations.map(({ id }) => gateway.get(`/ocpp/locations/${id}/chargers?limit=${commandedPerLocation}`));
  return ((await Promise.all(pages)) as { readonly data: readonly Commanded[] }[]).flatMap(({ data }) => data);
}

/** Begins to watch what each process takes; the answer is for the time until it is called. */
function watchProcesses({ child }: Gateway): () => readonly ProcessUse[] {
  const group = child.pid ?? 0;
  const before = new Map(processesOf(group).map((pid) => [pid, cpuMsOf([pid])]));
  const fromMs = performance.now();
  return () => {
    const elapsedMs = performance.now() - fromMs;
    return processesOf(group).map((pid, index) => ({
      name: pid === group ? 'gateway' : `fleet process ${index}`,
      cpuCores: (cpuMsOf([pid]) - (before.get(pid) ?? 0)) / elapsedMs,
      memoryMb: pssKbOf([pid]) / 1024,
    }));
  };
}
