// How transaction numbers are reserved.
import { expect, it } from 'vitest';
import { TransactionNumbers } from './transaction-numbers.ts';

function counter(first = 1) {
  let next = first;
  const reserved: number[] = [];
  return {
    reserved,
    reserve: async (count: number) => {
      reserved.push(next);
      next += count;
      return next - count;
    },
  };
}

it('waits for the first number only, and never gives one twice', async () => {
  const { reserve } = counter(7);
  const numbers = new TransactionNumbers(reserve);
  const taken = [await numbers.take()];
  for (let round = 0; round < 5000; round += 1) {
    const number = numbers.take();
    expect(typeof number).toBe('number');
    taken.push(await number);
  }
  expect(taken).toEqual(Array.from({ length: 5001 }, (_, index) => 7 + index));
});

it('serves many that ask before the first block has come', async () => {
  const { reserve } = counter();
  const numbers = new TransactionNumbers(reserve);
  const taken = await Promise.all(Array.from({ length: 2500 }, () => numbers.take()));
  expect(new Set(taken).size).toBe(2500);
});

it('reserves nothing before the first number is asked for', async () => {
  const { reserve, reserved } = counter();
  const numbers = new TransactionNumbers(reserve);
  expect(reserved).toEqual([]);
  await numbers.take();
  expect(reserved).toEqual([1]);
});

it('tries again after a failure', async () => {
  const { reserve } = counter();
  let failures = 1;
  const numbers = new TransactionNumbers((count) => {
    failures -= 1;
    return failures < 0 ? reserve(count) : Promise.reject(new Error('the disk is full'));
  });
  await expect(numbers.take()).rejects.toThrow('the disk is full');
  expect(await numbers.take()).toBe(1);
});
