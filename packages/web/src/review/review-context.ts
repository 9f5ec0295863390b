import { createContext, use } from 'react';
import type { Review } from './review.ts';

export const ReviewContext = createContext<Review | undefined>(undefined);

export function useReview(): Review {
  const review = use(ReviewContext);
  if (review === undefined) throw new Error('this component stands outside of ReviewContext');
  return review;
}
