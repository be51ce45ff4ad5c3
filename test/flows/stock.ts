// A small stock of things that exist in a gateway, for requests to name: kept up, kept small, and counted anew after changes.

import type { Client, Json } from './gateway.ts';

interface Place {
  readonly id: string;
  readonly cpoId: string;
  readonly name: string;
}

interface Model {
  readonly id: string;
  readonly slug: string;
  readonly brand: string;
}

const mostChargers = 8;
const mostPlaces = 2;
const mostCpos = 3;
const mostCommands = 20;
const mostCursors = 5;
const mostWebhooks = 3;

export class Stock {
  readonly #client: Client;
  readonly #csmsUrls: readonly string[];
  #chargers: readonly { readonly id: string; readonly identity: string }[] = [];
  #places: readonly Place[] = [];
  #cpos: readonly string[] = [];
  #models: readonly Model[] = [];
  #webhooks: readonly string[] = [];
  readonly #commands: string[] = [];
  readonly #cursors: string[] = [];
  #counting: Promise<void> = Promise.resolve();
  /** What has been taken away so far, and what is just being taken away. */
  #removals = 0;
  #removing = 0;
  /** How many removals the lists here take account of. */
  #countedAt = 0;

  constructor(client: Client, csmsUrls: readonly string[]) {
    this.#client = client;
    this.#csmsUrls = csmsUrls;
  }

  get isShort(): boolean {
    return this.#chargers.length < 2 || this.#places.length === 0 || this.#commands.length === 0;
  }

  /** Whether something that is named here may be gone. */
  get isStale(): boolean {
    return this.#removing > 0 || this.#removals > this.#countedAt;
  }

  /** To be told of everything that takes something away. */
  async removal<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#removing++;
    try {
      return await work();
    } finally {
      this.#removing--;
      this.#removals++;
    }
  }

  /** Everything of a kind that can be named. */
  named(what: string): readonly string[] {
    const names: Readonly<Record<string, () => readonly string[]>> = {
      charger_id: () => this.#chargers.map(({ id }) => id),
      identity: () => this.#chargers.map(({ identity }) => identity),
      location_id: () => this.#places.map(({ id }) => id),
      location_name: () => this.#places.map(({ name }) => name),
      cpo_id: () => this.#cpos,
      command_id: () => this.#commands,
      webhook_id: () => this.#webhooks,
      cursor: () => this.#cursors,
      brand: () => this.#models.map(({ brand }) => brand),
      model: () => this.#models.map(({ slug }) => slug),
      model_id: () => this.#models.map(({ id }) => id),
      template: () => ['home-duo', 'motorway-hub'],
      ws_url: () => this.#csmsUrls,
    };
    const found = names[what];
    if (found === undefined) throw new Error(`nothing is known of ${what}: say here what there is`);
    return found();
  }

  /** A location has one operator, a model one brand. */
  ownersOf(names: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const place = this.#places.find(({ id }) => id === names['location_id']);
    const model = this.#models.find(({ slug }) => slug === names['model']);
    return {
      ...(place === undefined ? {} : { cpo_id: place.cpoId }),
      ...(model === undefined ? {} : { brand: model.brand }),
    };
  }

  /** Takes from an answer what later requests can name. */
  remember(body: Json): void {
    if (Array.isArray(body?.results)) this.#commands.push(...body.results.map((each: Json) => each.command.id));
    this.#commands.splice(0, this.#commands.length - mostCommands);
    if (typeof body?.next_cursor === 'string') this.#cursors.push(body.next_cursor);
    this.#cursors.splice(0, this.#cursors.length - mostCursors);
  }

  /** Reads what there is, takes away what is too much, and makes what is missing. One at a time. */
  count(): Promise<void> {
    this.#counting = this.#counting.then(() => this.#count());
    return this.#counting;
  }

  async #count(): Promise<void> {
    const ownRemovals = { count: 0 };
    const removals = this.#removals;
    const remove = async (path: string): Promise<void> => {
      ownRemovals.count++;
      const { status } = await this.removal(() => this.#client.fetch('DELETE', path));
      if (status !== 204 && status !== 404) throw new Error(`DELETE ${path}: ${status}`);
    };
    if (this.#models.length === 0) this.#models = await this.#someModels();
    this.#cpos = await this.#countCpos(remove);
    this.#places = await this.#countPlaces(remove);
    this.#chargers = await this.#countChargers(remove);
    this.#webhooks = await this.#countWebhooks(remove);
    if (this.#commands.length === 0) {
      const target = { charger_id: this.#chargers[0]?.id };
      this.remember((await this.#client.fetch('POST', '/ocpp/commands/plug-connector', { target, event: {} })).body);
    }
    this.#countedAt = removals + ownRemovals.count;
  }

  async #someModels(): Promise<Model[]> {
    const models: Model[] = [];
    for (const brand of ['zaptec', 'alpitronic']) {
      const { data } = await this.#client.get(`/ocpp/catalog/brands/${brand}/models`);
      models.push(...data.map(({ id, slug }: Json) => ({ id, slug, brand })));
    }
    return models;
  }

  async #countCpos(remove: (path: string) => Promise<void>): Promise<string[]> {
    const cpos: string[] = (await this.#client.get('/ocpi/cpos?limit=100')).data.map(({ id }: Json) => id);
    for (const id of cpos.splice(mostCpos)) await remove(`/ocpi/cpos/${id}?cascade=true`);
    if (cpos.length > 0) return cpos;
    const body = { name: 'Stock', country_code: 'NL', party_id: 'STK' };
    return [(await this.#client.fetch('POST', '/ocpi/cpos', body)).body.id];
  }

  async #countPlaces(remove: (path: string) => Promise<void>): Promise<Place[]> {
    const places: Place[] = [];
    for (const cpoId of this.#cpos) {
      const { status, body } = await this.#client.fetch('GET', `/ocpi/cpos/${cpoId}/locations?limit=100`);
      if (status === 200) places.push(...body.data.map(({ id, name }: Json) => ({ id, cpoId, name })));
    }
    for (const { id, cpoId } of places.splice(mostPlaces)) await remove(`/ocpi/cpos/${cpoId}/locations/${id}`);
    const [cpoId] = this.#cpos;
    if (places.length > 0 || cpoId === undefined) return places;
    const wish = { template: 'home-duo', ws_url: this.#csmsUrls[0] };
    const { status, body } = await this.#client.fetch('POST', `/ocpi/cpos/${cpoId}/locations`, wish);
    return status === 202 ? [{ id: body.location.id, cpoId, name: body.location.name }] : [];
  }

  async #countWebhooks(remove: (path: string) => Promise<void>): Promise<string[]> {
    const webhooks: string[] = (await this.#client.get('/ocpp/webhooks?limit=100')).data.map(({ id }: Json) => id);
    for (const id of webhooks.splice(mostWebhooks)) await remove(`/ocpp/webhooks/${id}`);
    if (webhooks.length > 0) return webhooks;
    return [(await this.#client.fetch('POST', '/ocpp/webhooks', { url: 'http://127.0.0.1:9/hook' })).body.id];
  }

  async #countChargers(remove: (path: string) => Promise<void>): Promise<{ id: string; identity: string }[]> {
    const list = async (): Promise<Json[]> => (await this.#client.get('/ocpp/chargers?limit=100')).data;
    const single = (await list()).filter(({ location_id }) => location_id === null);
    for (const { id } of single.slice(mostChargers)) await remove(`/ocpp/chargers/${id}`);
    for (let number = single.length; number < 2; number++) await this.#client.create({ ws_url: this.#csmsUrls[0] });
    return (await list()).map(({ id, identity }) => ({ id, identity }));
  }
}
